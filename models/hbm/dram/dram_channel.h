// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/hbm/dram/dram_params.h"
#include "models/hbm/dram/row_visit.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// Why a data bus moved nothing.
enum class DramLoss : std::uint8_t {
  no_request,     ///< nothing to do
  row_conflict,   ///< another row was open, or its bank in use: precharge and activate
  row_closed,     ///< no row was open: activate
  activate_rate,  ///< tRRD and tFAW
  bank_group,     ///< tCCD_L: successive accesses of one bank group
  turnaround,     ///< between reads and writes
  refresh,
  not_told,  ///< of the command level: one of the above
};
constexpr std::size_t kDramLosses = 8;
constexpr std::array<const char*, kDramLosses> kDramLossNames = {
    "no_request", "row_conflict", "row_closed", "activate_rate",
    "bank_group", "turnaround",   "refresh",    "not_told"};

/// Time of one data bus or, summed, of several, from 0 to the end of the last transfer: busy + all losses.
/// In femtoseconds, so that nothing is rounded.
struct DramTime {
  std::uint64_t busy_fs = 0;
  std::array<std::uint64_t, kDramLosses> lost_fs{};
  std::uint64_t row_visits = 0, row_hits = 0, activates = 0, refreshes = 0, turns = 0;
  std::uint64_t accesses_read = 0, accesses_written = 0;

  std::uint64_t& lost(DramLoss why) { return lost_fs[static_cast<std::size_t>(why)]; }
  std::uint64_t lost(DramLoss why) const { return lost_fs[static_cast<std::size_t>(why)]; }
  std::uint64_t span_fs() const {
    std::uint64_t sum = busy_fs;
    for (const std::uint64_t each : lost_fs) sum += each;
    return sum;
  }
  DramTime& operator+=(const DramTime& other) { return combine(other, std::plus<>()); }
  /// Modulo 2^64: `time += other` undoes it.
  DramTime& operator-=(const DramTime& other) { return combine(other, std::minus<>()); }

 private:
  template <typename Operation>
  DramTime& combine(const DramTime& other, Operation of) {
    for (std::size_t k = 0; k < kDramLosses; ++k) lost_fs[k] = of(lost_fs[k], other.lost_fs[k]);
    for (const auto field :
         {&DramTime::busy_fs, &DramTime::row_visits, &DramTime::row_hits, &DramTime::activates,
          &DramTime::refreshes, &DramTime::turns, &DramTime::accesses_read, &DramTime::accesses_written})
      this->*field = of(this->*field, other.*field);
    return *this;
  }
};

/// A pseudo-channel with its controller. What it does, at both levels:
///   - Commands are given at clock edges; what comes in between is seen at the next one.
///   - Requests are taken in their order, reads as long as there are places in the queue, writes as long as
///     there are in the buffer. A request is done when its last data has crossed the pins.
///   - Rows are opened for the reads, or for the writes, in the order in which their banks are free; visits
///   of
///     one bank in their order, so nobody starves. Rows stay open. Writes are served when no read waits; in a
///     drain, before the reads, when their buffer is full or the reads have kept them waiting too long.
///   - The data bus serves, visit by visit, those whose rows are open first. Between reads and writes it
///   turns
///     when no visit of the same direction has its rows open, or one of the other has begun `write_age`
///     before.
///   - Every bank is refreshed once in tREFI. Each by itself, staggered: a refresh waits while its bank has
///     visits of the direction that is served, until `postponed_refreshes` are due. Or all at once: no visit
///     begins from when it is due until it is over.
class DramChannel {
 public:
  struct Done {
    std::uint32_t tag;
    TimePs end_ps;  ///< its last data has crossed the pins
  };

  DramChannel() = default;
  virtual ~DramChannel() = default;

  /// A visit that arrives at `now` (a time before that of an earlier call counts as that). Returns its end if
  /// that is certain at once, else kNever; it is in `done` later.
  virtual TimePs push(const RowVisit& visit, std::uint32_t tag, TimePs now) = 0;
  /// Decides whatever is decided before `until`; ends go to `done`.
  virtual void run_until(TimePs until) = 0;
  /// What is not decided yet does not end before that; kNever: nothing waits.
  virtual TimePs next_ps() const = 0;
  /// Of what is decided.
  virtual DramTime time() const = 0;

  std::vector<Done> done;  ///< for whoever runs the channel to take out

 protected:
  DramChannel(const DramChannel&) = default;
  DramChannel& operator=(const DramChannel&) = default;
};

}  // namespace wafertlm
