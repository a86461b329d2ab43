// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/hbm/dram/memory_timing.h"
#include "models/rtl/axi4/master.h"
#include "models/rtl/axi4/port.h"
#include "models/rtl/clock.h"
#include "tlm/memory/page_store.h"

namespace wafertlm {

/// A memory controller in RTL, an AXI4 slave, that serves the accesses of an NPU: the bridge from memory
/// sockets to AXI4. An access becomes INCR bursts of full beats that end at 4 KB boundaries, all with one ID;
/// accesses take IDs in turn. A write that touches bytes of another under way waits for it. Contents are made
/// up: each write has bytes of its own, and each read is compared with what was written last, unless a write
/// of the same bytes was under way beside it: the model orders the two, AXI4 does not. No SystemC.
///
/// Edge k of the clock is at k / frequency and sees what came until then. An access is done at the edge that
/// takes its last beat or answer, so an idle one of n beats takes n + LATENCY cycles from the first edge that
/// sees it. The clock stops without accesses.
class HbmRtl final : public MemoryTiming {
 public:
  /// What is wrong with the data or on the pins.
  struct Fault {
    TimePs at_ps;
    std::string text;
  };

  /// All must outlive it. @throws std::invalid_argument: the design has no AXI4 slave's pins.
  HbmRtl(const RtlDesign& design, RtlModel& model, const RtlClock& clock);

  Id submit(const TimedAccess& access, TimePs now) override;
  Answer ask(Id id, TimePs now) override;
  TimePs wait_for(Id id) override;
  void end(Id id) override;

  /// Works off the edges before `now`.
  void advance(TimePs now);
  /// When the access is done, if that is known by now.
  std::optional<TimePs> done(Id id) const;

  const std::optional<Fault>& fault() const { return fault_; }
  const RtlClock& clock() const { return clock_; }
  std::uint64_t accesses() const { return submitted_; }
  std::uint64_t bursts() const { return bursts_; }
  std::uint64_t cycles() const { return bench_.cycles(); }
  std::uint64_t bytes_compared() const { return bytes_compared_; }
  double host_s() const { return host_s_; }  ///< processor time

 private:
  struct Access {
    TimedAccess asked;
    TimePs at_ps;
    std::uint64_t number;
    std::uint64_t beats_left;  // of the slower direction
    std::uint32_t bursts_left;
    bool is_raced;  // a read, and a write of the same bytes was under way: it gets either
    std::optional<TimePs> done_ps;
  };
  static std::vector<std::uint8_t> made_up(std::uint64_t from, std::uint64_t until, std::uint64_t number);
  void compare(const Axi4Transaction& read, std::uint64_t end);
  bool may_begin(const Access& access) const;
  void begin(Id id);
  void begin_waiting();
  void burst_done(Axi4Transaction&& burst);
  void cycle();
  [[noreturn]] void throw_no_answer(const Access& access) const;
  void fail(const std::string& text);

  const Axi4Shape shape_;
  const RtlClock clock_;
  Axi4Bench bench_;
  Axi4Master master_;
  PageStore written_;
  std::vector<Access> accesses_;  // by Id
  std::vector<Id> free_;
  std::deque<Id> waiting_;     // not begun, in their order
  std::vector<Id> under_way_;  // begun
  std::uint64_t edge_ = 0;     // the next one
  std::uint64_t submitted_ = 0, bursts_ = 0, bytes_compared_ = 0;
  std::optional<Fault> fault_;
  double host_s_ = 0;
};

}  // namespace wafertlm
