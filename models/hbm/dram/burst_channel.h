// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/hbm/dram/dram_channel.h"
#include "tlm/ring_queue.h"

namespace wafertlm {

/// A pseudo-channel by the state of its banks: a visit is one decision and a few additions, whatever its
/// length. Times are kept in femtoseconds and rounded up where they leave.
///
/// A visit's rows are opened when all its banks are free for it; the data bus takes, among the visits whose
/// rows are open, the one whose first column can come first. Such decisions are made in the order of time,
/// and not before their time, because a visit may still arrive that comes first. Two are certain before:
/// while requests wait in order for a place in the queue nobody can come in between, and nobody overtakes a
/// visit that only waits for the bus.
class BurstChannel final : public DramChannel {
 public:
  BurstChannel(const DramTiming& timing, const DramQueueParams& queue);

  void push(const RowVisit& visit, std::uint32_t tag, TimePs now) override;
  void run_until(TimePs until) override;
  TimePs next_ps() const override;
  const DramTime& time() const override { return time_; }

 private:
  using Fs = std::uint64_t;
  using Slot = std::uint16_t;
  static constexpr Fs kNeverFs = ~Fs{0};
  static constexpr Slot kNone = 0xffff;
  enum Direction : std::uint8_t { kRead, kWrite };

  struct Bank {
    std::uint32_t row = kClosed;
    Fs free = 0;      ///< may be precharged or, if closed, activated
    Fs activate = 0;  ///< not before (tRC)
    Fs opened = 0;    ///< the last activate
    Fs refresh_due = 0;
    std::uint32_t pending = 0;  ///< visits that have opened it and have their columns to come
    bool by_conflict = false;   ///< the last activate followed a precharge
  };
  static constexpr std::uint32_t kClosed = ~0U;
  struct Waiting {
    RowVisit visit;
    std::uint32_t tag;
    Fs arrival, entered;
    std::uint64_t order;
    bool candidate;
    std::uint32_t behind;      ///< banks in which others come first
    std::array<Slot, 4> next;  ///< in each of its banks
  };
  struct Arrival {
    RowVisit visit;
    std::uint32_t tag;
    Fs at;
  };
  struct Chain {
    Slot head = kNone, tail = kNone;
  };
  /// A visit all whose banks wait for it.
  struct Candidate {
    Fs from;  ///< the banks are free
    std::uint64_t order;
    Slot slot;
    Fs refreshed;  ///< of that, waited for refreshes
  };
  /// A visit whose rows are open, or will be.
  struct Opened {
    Fs ready;  ///< for its first column
    std::uint64_t order;
    RowVisit visit;
    std::uint32_t tag;
    // What came before that, one after the other.
    Fs arrival, row, refresh;
    bool conflict;
  };
  struct Column {
    Fs at;
    std::size_t number;  ///< in opened_
  };

  std::uint32_t bank_of(const RowVisit& visit, std::uint32_t k) const {
    return visit.group(k) * banks_per_group_ + visit.bank;
  }
  void run(Fs until, bool at_end);
  Fs next_admission() const;
  Fs next_switch() const;
  void admit(Fs at);
  void serve(Direction direction, Fs at);
  bool take_at_once(const RowVisit& visit, std::uint32_t tag, Fs at);
  void consider(Slot slot);
  /// When the banks of a visit can be used, and how much later for refreshes.
  struct Availability {
    Fs from, refreshed;
  };
  Availability available(const RowVisit& visit, Fs entered);
  Opened open(const RowVisit& visit, Availability banks, Fs entered);
  void refresh(Bank& bank, Fs entered);
  void decide(std::size_t candidate);
  Column next_column() const;
  Fs bus_gate(bool write) const { return std::max(column_any_, write ? read_to_write_ : write_to_read_); }
  Fs bus_gate(const RowVisit& visit) const;
  bool long_before_the_bus(Fs from) const;
  bool only_waits_for_the_bus(const Column& column) const;
  void move(const Column& column);
  void move(const Opened& opened, Fs column);
  void leave_chains(Slot slot, Direction direction);

  // tCK sums in femtoseconds.
  struct Times {
    Fs cl, cwl, rcd[2], rp, ras, rc, wr, rtp, ccd_short, ccd_long, rrd_short, rrd_long, faw, wtr_short,
        wtr_long, rtw, rfc, refi, burst, write_idle;
  };
  const Times t_;
  const DramQueueParams queue_;
  const std::uint32_t banks_per_group_;
  Fs spacing_[3];  // of accesses, by log2 of the visit's groups

  Fs to_column_;     // from a bank's use to its column, with room for other rows
  Fs put_off_most_;  // refreshes

  Fs clock_ = 0;  // decided until then
  RingQueue<Arrival> backlog_;
  Fs last_admission_ = 0;
  std::uint32_t places_[2];         // of reads and writes
  std::uint32_t held_[2] = {0, 0};  // undecided or with columns to come
  std::uint32_t undecided_[2] = {0, 0};
  RingQueue<Fs> leaves_[2];  // of the others: their last columns
  std::vector<Waiting> waiting_;
  std::vector<Slot> free_slots_;
  std::vector<Bank> banks_;
  std::vector<Chain> chains_[2];
  std::vector<Candidate> candidates_;
  std::vector<Opened> opened_;
  std::uint32_t opened_of_[2] = {0, 0};
  std::uint64_t order_ = 0;
  Direction serving_ = kRead;
  Fs serving_since_ = 0, last_read_ = 0;
  bool forced_ = false;  // the drain goes on to the low mark

  Fs bus_end_ = 0;
  bool wrote_ = false;
  Fs column_any_ = 0, read_to_write_ = 0, write_to_read_ = 0;  // columns not before
  Fs column_group_[4] = {0, 0, 0, 0}, write_to_read_group_[4] = {0, 0, 0, 0};
  Fs rrd_any_ = 0, rrd_group_[4] = {0, 0, 0, 0}, activates_[4] = {0, 0, 0, 0};
  std::uint32_t next_activate_ = 0;
  DramTime time_;
};

}  // namespace wafertlm
