// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <systemc>
#include <vector>

#include "tlm/ring_queue.h"
#include "tlm/units.h"

namespace wafertlm {

/// Something the scheduler can wake. `what` is the caller's own (a port, a step).
class Wakeable {
 public:
  virtual void wake(std::uint32_t what, TimePs now) = 0;
  /// A hint that wake(what) comes soon: brings into the cache what it will touch. Called with depth 0 to 4,
  /// each a few wake-ups nearer, so that a later one can follow pointers that an earlier one has fetched.
  /// Must not change anything.
  virtual void prefetch(std::uint32_t, unsigned /*depth*/) const {}

 protected:
  ~Wakeable() = default;
};

/// Pending wake-ups ordered by (time, order of insertion): a calendar of time buckets for what is due within
/// the horizon, a heap for the rest. A bucket is sorted once, when its time comes; the cost of an entry does
/// not grow with the number of pending ones, also when thousands are due at the same instant.
class WakeQueue {
 public:
  struct Entry {
    TimePs at;
    Wakeable* target;
    std::uint32_t what;
    std::uint32_t
        order;  // of insertion, times 2, modulo 2^32; entries of one bucket are close. Bit 0: may_lead
    /// May be delivered while the kernel's time is still behind; see Scheduler::schedule_leading.
    bool may_lead() const { return (order & 1) != 0; }
  };

  /// The calendar reaches about `horizon_ps` ahead; most delays should be shorter.
  explicit WakeQueue(TimePs horizon_ps);

  /// The next entry, null if there is none; valid until the queue changes.
  const Entry* front();
  /// Takes out what front() returned.
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
  void push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what, bool may_lead = false);
  /// Hints to the targets of the entries that come after the one just popped.
  void look_ahead(TimePs now);
  /// Entries in the calendar, without those of the open buckets.
  std::uint32_t pending() const { return pending_; }

 private:
  static constexpr std::uint32_t kFewestBuckets = 1U << 9, kMostBuckets = 1U << 14;
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
  RingQueue<Entry> immediate_;  // due at the instant they were pushed
  std::vector<Entry> far_;      // heap
  enum class Source { open, immediate, far } front_in_ = Source::open;
  std::uint32_t order_ = 0;
};

/// The platform's only timed process: one SC_METHOD and one sc_event for all modules. An sc_event per module
/// costs more the more there are, and peq_with_cb_and_phase is a sorted list.
///
/// A round trip through the kernel for every instant costs as much as a router. Within run(), wake-ups that
/// were asked for with schedule_leading are delivered in one activation, while sc_time_stamp() stays behind;
/// everything else in the simulation still sees every wake-up at its own time and in its own order, because
/// the scheduler never leads past the next activity of another process, nor past the end of the run.
class Scheduler : public sc_core::sc_module {
 public:
  /// `horizon_ps`: most wake-ups are asked for less than this ahead (link latency, packet time); only speed
  /// depends on it.
  explicit Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps = 100'000);

  /// Calls target.wake(what, at) at `at`, which must not be in the past; at equal times in the order of the
  /// calls.
  void schedule(TimePs at, Wakeable& target, std::uint32_t what) { schedule(at, target, what, false); }
  /// The same, for a wake-up that may come before the kernel's time is `at`. It and whatever it calls must
  /// take the time from now(), not from sc_time_stamp(), and must not notify events, wait, or call anybody
  /// who does.
  void schedule_leading(TimePs at, Wakeable& target, std::uint32_t what) { schedule(at, target, what, true); }
  /// The current time; cheaper than sc_time_stamp() while wake-ups are delivered.
  TimePs now() const { return dispatching_ ? local_ps_ : sc_core::sc_time_stamp().value(); }

  /// sc_start() for `duration_ps`, or until nothing is left to do. Under a plain sc_start(), whose end cannot
  /// be known here, the results are the same and nothing leads.
  /// @throws what a wake-up has thrown, as it is; sc_start() would wrap it into an sc_report.
  void run(TimePs duration_ps = kNever, sc_core::sc_starvation_policy policy = sc_core::SC_RUN_TO_TIME);

  /// Wake-ups delivered so far.
  std::uint64_t events() const { return events_; }
  bool idle() { return queue_.next_ps() == kNever; }

 private:
  void schedule(TimePs at, Wakeable& target, std::uint32_t what, bool may_lead);
  void dispatch();
  TimePs lead_limit_ps(TimePs kernel_ps) const;
  void notify_next(TimePs kernel_ps);

  sc_core::sc_event due_{"due"};
  WakeQueue queue_;
  TimePs notified_ps_ = kNever;
  bool dispatching_ = false;
  TimePs local_ps_ = 0;    // of the wake-up that is being delivered
  TimePs run_end_ps_ = 0;  // of run(); what is due at that time comes in the next one, as with sc_start()
  std::uint64_t events_ = 0;
  std::exception_ptr failure_;
};

/// The one place where integer picoseconds become an sc_time.
inline sc_core::sc_time to_sc_time(TimePs time) { return sc_core::sc_time::from_value(time); }

/// The kernel's time, for whoever has no scheduler at hand.
inline TimePs kernel_now_ps() { return sc_core::sc_time_stamp().value(); }

}  // namespace wafertlm
