// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/hbm/dram/dram_channel.h"
#include "models/hbm/dram/dram_params.h"
#include "tlm/kernel/ring_queue.h"

namespace wafertlm {

/// What the pseudo-channels of a memory at the burst level have in common: sums of tCK in femtoseconds, and
/// limits.
struct BurstTimes {
  using Fs = std::uint64_t;
  static constexpr Fs kNeverFs = ~Fs{0};
  static constexpr std::uint32_t kMaxBanks = 64, kGroups = 4;

  /// @throws std::invalid_argument that says what to change.
  BurstTimes(const DramTiming& timing, const DramQueueParams& queue);

  Fs to_data[2], to_end[2];  ///< column to its data, and to their end: of reads and of writes
  Fs rcd[2];
  Fs spacing[3];        ///< of accesses, by log2 of the visit's groups
  Fs next_any[2][2];    ///< last column of a direction, to the first of a direction: any group
  Fs next_group[2][2];  ///< the same group
  Fs to_free[2];        ///< column to precharge
  Fs rp, ras, rc, rrd_short, rrd_long, faw;
  Fs burst, rfc, refi, put_off_most, write_age, clock;
  Fs to_column;             ///< from a bank's use to its column, with room for other rows
  std::uint32_t places[2];  ///< of reads and of writes
  std::uint32_t write_low;
  std::uint32_t banks, banks_per_group;
  bool refresh_all;  ///< all banks at once

  /// Of DramTiming::edge().
  Fs edge(TimePs now) const { return (now * 1000 + clock - 1000) / clock * clock; }
};

/// A pseudo-channel by the state of its banks: a visit is one decision and a few additions, whatever its
/// length. Times are kept in femtoseconds and rounded up where they leave.
///
/// A visit's rows are opened when all its banks are free for it; the data bus takes, among the visits whose
/// rows are open, the one whose first column can come first. Such decisions are made in the order of time,
/// and not before their time, because a visit may still arrive that comes first. Two are certain before:
/// while requests wait in order for a place in the queue nobody can come in between, and nobody overtakes a
/// visit that only waits for the bus.
///
/// A read that nobody is before takes no queue. What it needs lies together.
class alignas(64) BurstChannel final : public DramChannel {
 public:
  /// `times` outlive it. Without `shortcuts` every visit takes the queues: the same times, later.
  BurstChannel(const BurstTimes& times, bool shortcuts);
  /// Another channel to which everything happened that happened to this one, to go on by itself.
  BurstChannel(const BurstChannel&) = default;
  BurstChannel& operator=(const BurstChannel&) = default;

  /// Of what is not done yet: `other(tag)` is its new tag.
  template <typename Other>
  void set_tags(Other other) {
    for (std::size_t k = 0; k < backlog_.size(); ++k) backlog_[k].tag = other(backlog_[k].tag);
    for (Waiting& each : waiting_)
      if (each.tag != kNoTag) each.tag = other(each.tag);
    for (Opened& each : opened_)
      if (each.tag != kNoTag) each.tag = other(each.tag);
  }

  /// Appends to `state` all that matters to whatever is decided at `now` or later: channels with equal states
  /// go on in the same way. Of a tag that is its request: the bits above `request_shift`.
  void describe(TimePs now, std::uint32_t request_shift, std::vector<std::uint64_t>& state);
  /// Of what is decided.
  BurstTimes::Fs bus_end_fs() const { return bus_end_; }

  void prefetch(const RowVisit& visit) const {
    const char* const end = reinterpret_cast<const char*>(&banks_);
    for (const char* line = reinterpret_cast<const char*>(this); line < end; line += 64)
      __builtin_prefetch(line, 1);
    __builtin_prefetch(&banks_[bank_of(visit, 0)], 1);
  }

  TimePs push(const RowVisit& visit, std::uint32_t tag, TimePs now) override;
  void run_until(TimePs until) override;
  TimePs next_ps() const override;
  DramTime time() const override;

 private:
  using Fs = BurstTimes::Fs;
  using Slot = std::uint16_t;
  static constexpr Fs kNeverFs = BurstTimes::kNeverFs;
  static constexpr Slot kNone = 0xffff;
  static constexpr std::uint32_t kClosed = ~0U;
  static constexpr std::uint32_t kNoTag = ~0U;  // of a place that is free, or a write that is done
  enum Direction : std::uint8_t { kRead, kWrite };

  /// Banks of neighbouring groups share a cache line.
  struct Bank {
    Fs free = 0;    ///< may be precharged or, if closed, activated
    Fs opened = 0;  ///< the last activate; before the first: a tRC before 0
    Fs refresh_due = 0;
    std::uint32_t row = kClosed;
    std::uint16_t pending = 0;  ///< visits that have opened it and have their columns to come
    bool by_conflict = false;   ///< the last activate followed a precharge
  };
  /// A copy copies those that there are.
  struct Banks {
    explicit Banks(std::uint32_t number) : count(number) {}
    Banks(const Banks& other) : count(other.count) { std::copy_n(other.each, count, each); }
    Banks& operator=(const Banks& other) {
      count = other.count;
      std::copy_n(other.each, count, each);
      return *this;
    }
    Bank& operator[](std::uint32_t k) { return each[k]; }
    const Bank& operator[](std::uint32_t k) const { return each[k]; }

    Bank each[BurstTimes::kMaxBanks];
    std::uint32_t count;
  };
  struct Waiting {
    RowVisit visit;
    std::uint32_t tag;
    Fs arrival, entered;
    std::uint64_t order;
    std::uint16_t behind;  ///< banks in which others come first
    bool candidate;
    bool waits;                ///< the place is not free
    std::array<Slot, 4> next;  ///< in each of its banks; of a free slot: the next free one
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
    Fs refreshed;  ///< of that, waited for refreshes
    Slot slot;
  };
  /// A visit whose rows are open, or will be.
  struct Opened {
    Fs ready;             ///< for its first column
    std::uint64_t order;  ///< in which visits began
    Fs begun;
    RowVisit visit;
    std::uint32_t tag;
    // What came before that, one after the other.
    Fs arrival, row, refresh;
    bool conflict;
  };
  struct Column {
    Fs at = kNeverFs;
    std::size_t number = 0;  ///< in opened_
  };

  static std::uint32_t bank_of(const RowVisit& visit, std::uint32_t k) {
    return visit.bank * BurstTimes::kGroups + visit.group(k);
  }
  void run(Fs until, bool at_end);
  Fs next_admission() const;
  Fs next_switch() const;
  Fs next_candidate() const { return candidates_.empty() ? kNeverFs : candidates_[first_].from; }
  bool has_place(Direction direction, Fs at);
  void admit(Fs at);
  void admit(const Arrival& arrival, Fs at);
  void enter(const Arrival& arrival, Fs at);
  void serve(Direction direction, Fs at);
  void turn_to_writes(Fs at);
  void consider_all();
  bool reads_wait() const { return undecided_[kRead] != 0; }
  template <std::uint32_t kBanks>
  Fs stream(const RowVisit& visit, Fs at);
  Fs take_at_once(const RowVisit& visit, std::uint32_t tag, Fs at);
  void consider(Slot slot);
  /// When the banks of a visit can be used, and how much later for refreshes.
  struct Availability {
    Fs from, refreshed;
  };
  Availability available(const RowVisit& visit, Fs entered);
  Opened open(const RowVisit& visit, Availability banks, Fs entered);
  /// Whether refreshes of a bank come before a visit that came in at `entered`.
  bool is_refreshed(const Bank& bank, Fs entered) const {
    return std::max(bank.refresh_due, bank.free) < entered ||
           std::max(entered, bank.free) >= bank.refresh_due + t_->put_off_most;
  }
  void refresh(Bank& bank, Fs entered);
  bool has_work() const {
    return !opened_.empty() || !backlog_.empty() || (undecided_[0] | undecided_[1]) != 0;
  }
  void refresh_all();
  void rest_until(Fs at);
  void decide();
  void find_column();
  Column first_column(bool write, Fs not_before) const;
  void new_opened(const Opened& opened);
  Fs bus_gate(const RowVisit& visit) const {
    return std::max(any_[visit.write], group_[visit.write][visit.group(0)]);
  }
  bool long_before_the_bus(Fs from) const {
    return serving_ == wrote_ && from + t_->to_column <= any_[wrote_];
  }
  bool only_waits_for_the_bus() const {
    const bool write = opened_[column_.number].visit.write;
    return write == wrote_ && column_.at <= any_[write];
  }
  void move();
  Fs move(const Opened& opened, Fs column);
  void leave_chains(Slot slot, Direction direction);

  const BurstTimes* t_;
  Fs clock_ = 0;  // decided until then
  Fs bus_end_ = 0;
  Fs any_[2] = {0, 0};                     // columns of reads and of writes not before
  Fs rrd_any_ = 0, last_admission_ = 0;    // activates not before; …
  Fs group_[2][BurstTimes::kGroups] = {};  // columns of a group not before
  Fs rrd_group_[BurstTimes::kGroups] = {}, activates_[4] = {0, 0, 0, 0};
  Fs next_ = kNeverFs;                   // nothing is decided before
  std::uint64_t order_ = 0, begun_ = 0;  // of arrivals; of visits that have begun
  std::uint16_t held_[2] = {0, 0};       // undecided or with columns to come
  std::uint16_t undecided_[2] = {0, 0}, opened_of_[2] = {0, 0};
  bool wrote_ = false;
  Direction serving_ = kRead;
  std::uint16_t drain_ = 0;  // so many writes go out before the reads; 0: reads that come end it
  std::uint8_t next_activate_ = 0;
  bool shortcuts_;
  RingQueue<Fs> leaves_[2];  // of those whose columns are decided: the last of them
  DramTime time_;            // without what follows from it
  Fs serving_since_ = 0;
  Fs writes_wait_since_ = 0;  // while the reads are served
  Fs begun_at_ = 0;           // the last visit
  Fs refresh_due_;            // of all banks; kNeverFs: each has its own
  std::size_t first_ = 0;     // of candidates_
  Column column_;             // the next
  std::vector<Candidate> candidates_;
  std::vector<Opened> opened_;
  RingQueue<Arrival> backlog_;
  std::vector<Waiting> waiting_;
  std::vector<std::pair<std::uint64_t, Slot>> in_order_;  // of describe()
  Slot free_slot_ = kNone;
  std::uint64_t queued_[2] = {0, 0};  // banks that anybody waits for
  std::vector<std::array<Chain, 2>> chains_;
  alignas(64) Banks banks_;
};

}  // namespace wafertlm
