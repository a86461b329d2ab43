// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/scheduler.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::uint64_t kMaxRunAhead = 4096;  // wake-ups per activation; then the kernel has a look around

}  // namespace

Scheduler::Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps)
    : sc_module(name), horizon_ps_(horizon_ps), queue_(horizon_ps) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the time resolution must be 1 ps; it is " +
                                sc_core::sc_get_time_resolution().to_string());
  SC_HAS_PROCESS(Scheduler);
  SC_METHOD(dispatch);
  sensitive << due_;
  dont_initialize();
}

void Scheduler::schedule(TimePs at, Wakeable& target, std::uint32_t what, bool may_run_ahead, Turn turn) {
  const TimePs time = now();
  if (at < time)
    throw std::logic_error("wake-up at " + std::to_string(at) + " ps lies before now, " +
                           std::to_string(time) + " ps");
  const WakeQueue::Entry entry = queue_.make(at, target, what, may_run_ahead, turn);
  if (has_windows_ && may_run_ahead && entry.partition != kNoPartition)
    push_by_partition(entry);
  else
    queue_.push(in_window() ? window_start_ps_ : time, entry);
  if (dispatching_ || at >= notified_ps_) return;
  due_.cancel();
  due_.notify(to_sc_time(at - time));
  notified_ps_ = at;
}

inline void Scheduler::push_by_partition(const WakeQueue::Entry& entry) {
  if (in_window() && entry.at < window_end_ps_ && entry.partition != partitions_.at_work())
    throw std::logic_error("partition " + std::to_string(partitions_.at_work()) + " acts on partition " +
                           std::to_string(entry.partition) + " at " + std::to_string(entry.at) +
                           " ps, within a window of time; see Scheduler::allow_lookahead_windows");
  partitions_.push(entry);
}

void Scheduler::run(TimePs duration_ps, sc_core::sc_starvation_policy policy) {
  struct Restore {
    ~Restore() { end_ps = 0; }
    TimePs& end_ps;
  } restore{run_end_ps_};
  if (duration_ps == kNever) {
    run_end_ps_ = kNever;
    sc_core::sc_start();
  } else {
    run_end_ps_ = kernel_now_ps() + duration_ps;
    sc_core::sc_start(to_sc_time(duration_ps), policy);
    if (!failure_) settle(std::exchange(stops_, false) ? kernel_now_ps() : run_end_ps_ - 1);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Up to when this activation may deliver: before anything that another process does, and within run().
TimePs Scheduler::run_ahead_limit_ps(TimePs kernel_ps) const {
  if (run_end_ps_ <= kernel_ps) return kernel_ps;
  const TimePs free_ps = sc_core::sc_time_to_pending_activity().value();
  return free_ps == 0 ? kernel_ps : std::min(run_end_ps_, kernel_ps + free_ps) - 1;
}

inline void Scheduler::deliver(const WakeQueue::Entry& entry) {
  local_ps_ = entry.at;
  ++events_;
  try {
    entry.target->wake(entry.what, entry.at);
  } catch (...) {
    if (!woken_) woken_ = entry.target;  // of a replay the one within
    throw;
  }
}

TimePs Scheduler::quiet_until_ps() const {
  if (has_windows_) return local_ps_;
  TimePs until = replay_end_ps_ != kNever ? replay_end_ps_
                                          : kernel_now_ps() + sc_core::sc_time_to_pending_activity().value();
  const auto look_at = [&](const WakeQueue::Entry& entry) {
    if (!entry.target->moves_packets(entry.what)) until = std::min(until, entry.at);
  };
  queue_.for_each(look_at);
  partitions_.for_each(look_at);
  return until;
}

void Scheduler::settle(TimePs now) {
  for (MayBeLate* const who : late_) who->settle(now);
}

void Scheduler::call_those_after_instant() {
  settle(local_ps_);
  for (AfterInstant* const who : std::exchange(after_instant_, {})) who->after_instant(local_ps_);
}

void Scheduler::replay(TimePs start_ps, const std::function<void()>& begin) {
  const TimePs end_ps = now();
  WakeQueue queue = std::exchange(queue_, WakeQueue(horizon_ps_));
  std::vector<AfterInstant*> after_instant = std::exchange(after_instant_, {});
  const bool was_dispatching = std::exchange(dispatching_, true);
  const TimePs outer_end_ps = std::exchange(replay_end_ps_, end_ps);
  local_ps_ = start_ps;
  begin();
  for (;;) {
    const WakeQueue::Entry* const next = queue_.front();
    if (!after_instant_.empty() && local_ps_ < end_ps && (!next || next->at > local_ps_)) {
      call_those_after_instant();
      continue;
    }
    if (!next || next->at > end_ps) break;
    const WakeQueue::Entry entry = *next;
    queue_.pop();
    deliver(entry);
  }
  std::swap(queue, queue_);
  after_instant_.insert(after_instant_.begin(), after_instant.begin(), after_instant.end());
  replay_end_ps_ = outer_end_ps;
  local_ps_ = end_ps;
  dispatching_ = was_dispatching;
  for (; const WakeQueue::Entry* const next = queue.front(); queue.pop())
    schedule(next->at, *next->target, next->what, next->may_run_ahead(), next->turn());
}

/// By itself, in the order of all.
void Scheduler::deliver_alone(const WakeQueue::Entry& entry) {
  if (entry.at < window_end_ps_ && entry.may_run_ahead())
    throw std::logic_error(
        "a wake-up at " + std::to_string(entry.at) +
        " ps lies in a window of time that is over; see Scheduler::allow_lookahead_windows");
  deliver(entry);
}

/// Delivers the wake-ups of partitions between two times, partition by partition, but for what comes after
/// the next one of the queue.
void Scheduler::run_window(TimePs start_ps, TimePs end_ps, const WakeQueue::Entry* queued) {
  WakePartitions::Limit limit{end_ps, nullptr};
  WakeQueue::Entry first_after{};  // a copy: the queue may change
  if (queued && queued->at < end_ps) {
    first_after = *queued;
    limit = {first_after.at, &first_after};
  }
  window_start_ps_ = start_ps;
  window_end_ps_ = limit.at;
  TimePs last_ps = start_ps;
  partitions_.run(limit, queue_.is_crowded(partitions_.pending()), [&](const WakeQueue::Entry& entry) {
    deliver(entry);
    last_ps = std::max(last_ps, entry.at);
  });
  local_ps_ = last_ps;
}

/// The exception that is being handled.
std::exception_ptr Scheduler::located_failure() const {
  try {
    throw;
  } catch (const std::invalid_argument&) {
    return std::current_exception();
  } catch (const std::logic_error& error) {
    const auto* const object = dynamic_cast<const sc_core::sc_object*>(woken_);
    return std::make_exception_ptr(std::logic_error(std::string(object ? object->name() : "the fabric") +
                                                    ", " + std::to_string(local_ps_) +
                                                    " ps: " + error.what()));
  } catch (...) {
    return std::current_exception();
  }
}

void Scheduler::dispatch() {
  const TimePs kernel_ps = local_ps_ = kernel_now_ps();
  const TimePs limit_ps = run_ahead_limit_ps(kernel_ps);
  dispatching_ = true;
  const std::uint64_t last_event = events_ + kMaxRunAhead;
  try {
    for (;;) {
      const WakeQueue::Entry *const queued = queue_.front(), *const partitioned = partitions_.front();
      const bool is_queued = queued && !(partitioned && partitioned->before(*queued));
      const WakeQueue::Entry* const next = is_queued ? queued : partitioned;
      if (!after_instant_.empty() && (!next || next->at > local_ps_)) {
        call_those_after_instant();
        continue;
      }
      if (stops_ && (!next || next->at > local_ps_)) {
        sc_core::sc_pause();
        break;
      }
      if (!next ||
          (next->at > kernel_ps && (next->at > limit_ps || !next->may_run_ahead() || events_ >= last_event)))
        break;
      const TimePs window_ps = window_ps_ ? window_ps_() : 0;
      has_windows_ = window_ps != 0;
      if (is_queued) {
        const WakeQueue::Entry entry = *queued;
        queue_.pop();
        queue_.look_ahead(entry.at);
        deliver_alone(entry);
      } else if (has_windows_ && limit_ps > next->at) {
        run_window(next->at, std::min(next->at + window_ps, limit_ps == kNever ? kNever : limit_ps + 1),
                   queued);
      } else {
        deliver_alone(partitions_.pop());
      }
    }
  } catch (...) {
    dispatching_ = false;
    if (run_end_ps_ == 0) throw;  // a plain sc_start(): the kernel reports it
    failure_ = located_failure();
    sc_core::sc_pause();
    return;
  }
  dispatching_ = false;
  notify_next(kernel_ps);
}

/// Asks for the next activation. If none comes within the run, one lets the kernel's time catch up.
void Scheduler::notify_next(TimePs kernel_ps) {
  notified_ps_ = next_ps();
  if (local_ps_ > kernel_ps && notified_ps_ >= run_end_ps_) notified_ps_ = local_ps_;
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - kernel_ps));
}

}  // namespace wafertlm
