// SPDX-License-Identifier: Apache-2.0
#include "tlm/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::uint64_t kMostLeading = 4096;  // wake-ups per activation; then the kernel has a look around

}  // namespace

Scheduler::Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps)
    : sc_module(name), queue_(horizon_ps) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the time resolution must be 1 ps; it is " +
                                sc_core::sc_get_time_resolution().to_string());
  SC_HAS_PROCESS(Scheduler);
  SC_METHOD(dispatch);
  sensitive << due_;
  dont_initialize();
}

void Scheduler::schedule(TimePs at, Wakeable& target, std::uint32_t what, bool may_lead) {
  const TimePs time = now();
  if (at < time)
    throw std::logic_error("wake-up at " + std::to_string(at) + " ps lies before now, " +
                           std::to_string(time) + " ps");
  if (in_window_) return schedule_in_window(queue_.make(at, target, what, may_lead));
  queue_.push(time, at, target, what, may_lead);
  if (dispatching_ || at >= notified_ps_) return;
  due_.cancel();
  due_.notify(to_sc_time(at - time));
  notified_ps_ = at;
}

void Scheduler::schedule_in_window(const WakeQueue::Entry& entry) {
  if (entry.may_lead() && entry.at < window_end_ps_)
    window_.insert(entry);
  else
    queue_.push(window_start_ps_, entry);
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
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Up to when this activation may deliver: before anything that another process does, and within run().
TimePs Scheduler::lead_limit_ps(TimePs kernel_ps) const {
  if (run_end_ps_ <= kernel_ps) return kernel_ps;
  const TimePs free_ps = sc_core::sc_time_to_pending_activity().value();
  return free_ps == 0 ? kernel_ps : std::min(run_end_ps_, kernel_ps + free_ps) - 1;
}

inline void Scheduler::deliver(const WakeQueue::Entry& entry) {
  local_ps_ = entry.at;
  ++events_;
  entry.target->wake(entry.what, entry.at);
}

/// The length of a window that begins with the next wake-up; 0: it comes by itself.
inline TimePs Scheduler::window_for(const WakeQueue::Entry& next, TimePs limit_ps) const {
  if (!window_ps_ || limit_ps <= next.at || !next.may_lead() || next.region == kNoRegion) return 0;
  return window_ps_();
}

/// Delivers the leading wake-ups from the next one on, up to and with `limit_ps`, for the length of a window,
/// or until one that may not lead.
void Scheduler::run_window(TimePs window_ps, TimePs limit_ps) {
  const WakeQueue::Entry* next = queue_.front();
  window_start_ps_ = next->at;
  window_end_ps_ = std::min(window_start_ps_ + window_ps, limit_ps == kNever ? kNever : limit_ps + 1);
  TimePs last_ps = window_start_ps_;
  const bool is_crowded = queue_.is_crowded();  // with the window's wake-ups, which leave the queue now
  for (; next && next->at < window_end_ps_; next = queue_.front()) {
    if (!next->may_lead() || next->region == kNoRegion) {
      window_end_ps_ = next->at;
      break;
    }
    window_.add(*next);
    queue_.pop();
  }
  in_window_ = true;
  window_.run(is_crowded, [&](const WakeQueue::Entry& entry) {
    deliver(entry);
    last_ps = std::max(last_ps, entry.at);
  });
  in_window_ = false;
  local_ps_ = last_ps;
}

void Scheduler::dispatch() {
  const TimePs kernel_ps = local_ps_ = kernel_now_ps();
  const TimePs limit_ps = lead_limit_ps(kernel_ps);
  dispatching_ = true;
  const std::uint64_t last_event = events_ + kMostLeading;
  try {
    while (const WakeQueue::Entry* const next = queue_.front()) {
      if (next->at > kernel_ps && (next->at > limit_ps || !next->may_lead() || events_ >= last_event)) break;
      if (const TimePs window_ps = window_for(*next, limit_ps)) {
        run_window(window_ps, limit_ps);
        continue;
      }
      const WakeQueue::Entry entry = *next;
      if (entry.at < window_end_ps_ && entry.may_lead())
        throw std::logic_error("a wake-up at " + std::to_string(entry.at) +
                               " ps lies in a window of time that is over; see Scheduler::allow_windows");
      queue_.pop();
      queue_.look_ahead(entry.at);
      deliver(entry);
    }
  } catch (...) {
    dispatching_ = in_window_ = false;
    if (run_end_ps_ == 0) throw;  // a plain sc_start(): the kernel reports it
    failure_ = std::current_exception();
    sc_core::sc_pause();
    return;
  }
  dispatching_ = false;
  notify_next(kernel_ps);
}

/// Asks for the next activation. If none comes within the run, one lets the kernel's time catch up.
void Scheduler::notify_next(TimePs kernel_ps) {
  notified_ps_ = queue_.next_ps();
  if (local_ps_ > kernel_ps && notified_ps_ >= run_end_ps_) notified_ps_ = local_ps_;
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - kernel_ps));
}

}  // namespace wafertlm
