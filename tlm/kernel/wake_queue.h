// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// A part of the platform in which an event acts at once; see Scheduler::allow_lookahead_windows.
using Partition = std::uint32_t;
constexpr Partition kNoPartition = ~Partition{0};

/// Who comes first at one time. A source may reach its switch at once, an endpoint that goes on finds all
/// packets where they are, and operations begin and end when all endpoints have gone on: what comes of an
/// instant does not depend on who was asked for first.
enum class Turn : std::uint8_t { sources, switches, endpoints, operations };

/// Something the scheduler can wake. `what` is the caller's own (a port, a step).
class Wakeable {
 public:
  Partition partition() const { return partition_; }
  void set_partition(Partition partition) { partition_ = partition; }
  /// Below 2^20: of endpoints and operations at one time the lowest comes first.
  std::uint32_t rank() const { return rank_; }
  void set_rank(std::uint32_t rank) { rank_ = rank; }
  virtual void wake(std::uint32_t what, TimePs now) = 0;
  /// wake(what) moves packets on and does nothing else.
  virtual bool moves_packets(std::uint32_t /*what*/) const { return false; }
  /// A hint that wake(what) comes soon: brings into the cache what it will touch. Called with depth 0 to 4,
  /// each a few wake-ups nearer, so that a later one can follow pointers that an earlier one has fetched.
  /// Must not change anything.
  virtual void prefetch(std::uint32_t, unsigned /*depth*/) const {}

  /// The same for the object itself, before any of these.
  void prefetch_object() const {
    const auto* const object = reinterpret_cast<const char*>(this);
    for (std::size_t k = 0; k < 192; k += 64) __builtin_prefetch(object + k);
  }

 protected:
  ~Wakeable() = default;

 private:
  Partition partition_ = kNoPartition;
  std::uint32_t rank_ = 0;
};

/// Pending wake-ups ordered by (time, turn, order of insertion): a calendar of time buckets for what is due
/// within the horizon, a heap for the rest. A bucket is sorted once, when its time comes; the cost of an
/// entry does not grow with the number of pending ones, also when thousands are due at the same instant.
class WakeQueue {
 public:
  struct Entry {
    TimePs at;
    std::uint64_t order;  // of insertion, times 2. Bit 0: may_run_ahead; bits 62 and 63: Turn
    Wakeable* target;
    std::uint32_t what;
    Partition partition;  // of the target
    /// May be delivered while the kernel's time is still behind; see Scheduler::schedule_run_ahead.
    bool may_run_ahead() const { return (order & 1) != 0; }
    Turn turn() const { return static_cast<Turn>(order >> 62); }
    /// Whether it comes before another one of the same partition, or without windows of all.
    bool before(const Entry& other) const {
      return (Uint128{at} << 64 | order) < (Uint128{other.at} << 64 | other.order);
    }
  };
  /// For the standard heap, whose front is the last by this order. An object: the algorithms inline it.
  static constexpr auto later = [](const Entry& a, const Entry& b) { return b.before(a); };

  /// The calendar reaches about `horizon_ps` ahead; most delays should be shorter.
  explicit WakeQueue(TimePs horizon_ps);

  /// The next entry, null if there is none; valid until the queue changes.
  const Entry* front();
  void pop() {
    if (front_in_ == Source::open)
      ++open_front_;
    else
      pop_other();
  }
  /// The time of the next entry, kNever if there is none.
  TimePs next_ps() {
    const Entry* const next = front();
    return next ? next->at : kNever;
  }
  /// Requires now <= at; `now` must not go backwards.
  void push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what, bool may_run_ahead = false) {
    push(now, make(at, target, what, may_run_ahead));
  }
  void push(TimePs now, const Entry& entry);
  /// The next entry in the order of insertion.
  Entry make(TimePs at, Wakeable& target, std::uint32_t what, bool may_run_ahead,
             Turn turn = Turn::switches) {
    const Entry entry{at, order_ + may_run_ahead + place_of(turn, target), &target, what, target.partition()};
    order_ += 2;
    return entry;
  }
  /// Visits all entries, in no order that means anything.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = open_front_; i < open_.size(); ++i) visit(open_[i]);
    for (const RingQueue<Entry>& queue : immediate_)
      for (std::size_t i = 0; i < queue.size(); ++i) visit(queue[i]);
    for (const Entry& entry : far_) visit(entry);
    for (const Entry& entry : late_) visit(entry);
    for (std::size_t word = 0; word < used_.size(); ++word)
      for (std::uint64_t bits = used_[word]; bits != 0; bits &= bits - 1)
        for (std::uint32_t node = heads_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
             node != kNil; node = nodes_[node].next)
          visit(nodes_[node].entry);
  }
  /// Hints to the targets of the entries that come after the one just popped.
  void look_ahead(TimePs now);
  /// Entries in the calendar, without those of the open buckets.
  std::uint32_t pending() const { return pending_; }
  /// So many are pending, with `others` elsewhere, that their targets do not all fit the cache.
  bool is_crowded(std::size_t others = 0) const;

 private:
  static std::uint64_t place_of(Turn turn, const Wakeable& target) {
    return static_cast<std::uint64_t>(turn) << 62 |
           (turn >= Turn::endpoints ? std::uint64_t{target.rank()} << 42 : 0);
  }
  static constexpr std::uint32_t kMinBuckets = 1U << 9, kMaxBuckets = 1U << 14;
  static constexpr std::uint32_t kNil = ~std::uint32_t{0};
  struct Node {
    Entry entry;
    std::uint32_t next;
  };
  void put(std::uint64_t slot, const Entry& entry);
  /// Opens the next used bucket if its slot is at most `last`; returns whether there was one.
  bool open_next(std::uint64_t last = ~std::uint64_t{0});
  std::uint32_t next_used(std::uint32_t from) const;
  std::uint32_t buckets() const { return mask_ + 1; }
  void set_buckets(std::uint32_t buckets);
  void refine();
  void pop_other();

  TimePs horizon_ps_;
  unsigned shift_ = 0;
  std::uint32_t mask_ = 0;       // one less than the number of buckets, a power of two
  std::uint64_t open_slot_ = 0;  // at >> shift_ of the last open bucket
  std::vector<Entry> open_;      // entries of open buckets, sorted; those before open_front_ are gone
  std::size_t open_front_ = 0;
  std::vector<std::uint32_t> heads_;       // per bucket, a list of nodes in no order
  std::vector<std::uint64_t> used_;        // bit per bucket
  std::vector<std::uint64_t> used_words_;  // bit per word of used_
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNil, pending_ = 0;
  RingQueue<Entry> immediate_[4];  // due at the instant they were pushed, by turn
  std::vector<Entry> far_;         // heap
  std::vector<Entry> late_;        // heap, of entries of open buckets that came when many others were there
  std::size_t front_turn_ = 0;     // of immediate_
  enum class Source { open, immediate, far, late } front_in_ = Source::open;
  std::uint64_t order_ = 0;
};

}  // namespace wafertlm
