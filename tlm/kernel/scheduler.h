// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "tlm/kernel/pending_times.h"
#include "tlm/kernel/units.h"
#include "tlm/kernel/wake_partitions.h"
#include "tlm/kernel/wake_queue.h"

namespace wafertlm {

/// Who may be behind the time: what it has still to do changes nothing yet that others see.
class MayBeLate {
 public:
  /// Makes up for what is to have happened until `now`.
  virtual void settle(TimePs now) = 0;

 protected:
  ~MayBeLate() = default;
};

/// Who wants to be called between two instants.
class AfterInstant {
 public:
  virtual void after_instant(TimePs now) = 0;

 protected:
  ~AfterInstant() = default;
};

/// The platform's only timed process: one SC_METHOD and one sc_event for all modules. An sc_event per module
/// costs more the more there are, and peq_with_cb_and_phase is a sorted list.
///
/// A round trip through the kernel for every instant costs as much as a router. Within run(), wake-ups that
/// were asked for with schedule_run_ahead are delivered in one activation, while sc_time_stamp() stays
/// behind; everything else in the simulation still sees every wake-up at its own time and in its own order,
/// because the scheduler never leads past the next activity of another process, nor past the end of the run.
class Scheduler : public sc_core::sc_module {
 public:
  /// `horizon_ps`: most wake-ups are asked for less than this ahead (link latency, packet time); only speed
  /// depends on it.
  explicit Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps = 100'000);

  /// Calls target.wake(what, at) at `at`, which must not be in the past; at equal times in the order of the
  /// turns, and of the calls within one.
  void schedule(TimePs at, Wakeable& target, std::uint32_t what, Turn turn = Turn::switches) {
    schedule(at, target, what, false, turn);
  }
  /// The same, for a wake-up that may come before the kernel's time is `at`. It and whatever it calls must
  /// take the time from now(), not from sc_time_stamp(), and must not notify events, wait, or call anybody
  /// who does.
  void schedule_run_ahead(TimePs at, Wakeable& target, std::uint32_t what, Turn turn = Turn::switches) {
    // Nearly always: within a window, for the partition that is at work.
    if (partitions_.is_at_work(target.partition()) && at >= local_ps_)
      partitions_.push_at_work(queue_.make(at, target, what, true, turn));
    else
      schedule(at, target, what, true, turn);
  }
  /// What happens in a partition (Wakeable::partition) reaches others not before `window_ps()` later. Then
  /// leading wake-ups are delivered partition by partition within windows of that length, which is faster
  /// when a platform is far larger than the cache; now() goes back and forth between partitions. Who calls
  /// this promises that what does not lead and comes up within a window (the end of an operation) starts
  /// nothing.
  /// Windows may change from one to the next; 0: none at the moment.
  void allow_lookahead_windows(std::function<TimePs()> window_ps) { window_ps_ = std::move(window_ps); }
  /// The current time; cheaper than sc_time_stamp() while wake-ups are delivered.
  TimePs now() const { return dispatching_ ? local_ps_ : sc_core::sc_time_stamp().value(); }

  /// Calls `who` when all that is due now has been delivered. While a wake-up is delivered, without windows.
  void call_after_instant(AfterInstant& who) { after_instant_.push_back(&who); }
  /// `who` is settled before anybody is called after an instant, and at the end of run() and replay().
  void add_late(MayBeLate& who) { late_.push_back(&who); }
  /// allow_lookahead_windows() was called: who is late would reach into another window.
  bool may_have_windows() const { return window_ps_ != nullptr; }
  /// Nothing but what moves packets (Wakeable::moves_packets) is due before.
  TimePs quiet_until_ps() const;

  /// Goes back to `start_ps` and up to now again, with a queue of its own that `begin` puts the first
  /// wake-ups into. All of them must be such as may run ahead, and nobody may ask for windows. What is due
  /// later than now when it ends comes when it is due.
  void replay(TimePs start_ps, const std::function<void()>& begin);

  /// sc_start() for `duration_ps`, or until nothing is left to do. Under a plain sc_start(), whose end cannot
  /// be known here, the results are the same and nothing leads.
  /// @throws what a wake-up has thrown; sc_start() would wrap it into an sc_report. A std::logic_error that
  /// is no std::invalid_argument, an internal error, also tells who was woken, and when.
  void run(TimePs duration_ps = kNever, sc_core::sc_starvation_policy policy = sc_core::SC_RUN_TO_TIME);

  /// Ends run() when all that is due now has been delivered; the next one goes on from there.
  void stop() { stops_ = true; }

  /// Times of this simulation that are not known yet.
  PendingTimes& pending() { return pending_; }

  std::uint64_t events() const { return events_; }
  bool idle() { return next_ps() == kNever; }

 private:
  void schedule(TimePs at, Wakeable& target, std::uint32_t what, bool may_run_ahead, Turn turn);
  void push_by_partition(const WakeQueue::Entry& entry);
  void dispatch();
  void deliver(const WakeQueue::Entry& entry);
  std::exception_ptr located_failure() const;
  void call_those_after_instant();
  void settle(TimePs now);
  void deliver_alone(const WakeQueue::Entry& entry);
  void run_window(TimePs start_ps, TimePs end_ps, const WakeQueue::Entry* queued);
  bool in_window() const { return dispatching_ && partitions_.at_work() != kNoPartition; }
  TimePs next_ps() { return std::min(queue_.next_ps(), partitions_.next_ps()); }
  TimePs run_ahead_limit_ps(TimePs kernel_ps) const;
  void notify_next(TimePs kernel_ps);

  sc_core::sc_event due_{"due"};
  const TimePs horizon_ps_;
  WakeQueue queue_;
  WakePartitions partitions_;  // leading wake-ups of partitions, while there are windows
  TimePs notified_ps_ = kNever;
  bool dispatching_ = false;
  bool stops_ = false;                              // run(), after this instant
  TimePs local_ps_ = 0;                             // of the wake-up that is being delivered
  const Wakeable* woken_ = nullptr;                 // by it
  std::function<TimePs()> window_ps_;               // null: no windows
  bool has_windows_ = false;                        // at the moment
  TimePs window_start_ps_ = 0, window_end_ps_ = 0;  // of the last window
  TimePs run_end_ps_ = 0;  // of run(); what is due at that time comes in the next one, as with sc_start()
  std::uint64_t events_ = 0;
  std::exception_ptr failure_;
  std::vector<AfterInstant*> after_instant_;
  std::vector<MayBeLate*> late_;
  TimePs replay_end_ps_ = kNever;  // while something is replayed
  PendingTimes pending_;
};

/// The one place where integer picoseconds become an sc_time.
inline sc_core::sc_time to_sc_time(TimePs time) { return sc_core::sc_time::from_value(time); }

/// The kernel's time, for whoever has no scheduler at hand.
inline TimePs kernel_now_ps() { return sc_core::sc_time_stamp().value(); }

}  // namespace wafertlm
