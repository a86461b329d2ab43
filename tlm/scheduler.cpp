// SPDX-License-Identifier: Apache-2.0
#include "tlm/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

bool later(const WakeQueue::Entry& a, const WakeQueue::Entry& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
}

}  // namespace

std::size_t WakeQueue::lane_for(TimePs now, TimePs at) const {
  const TimePs delay = at - now;
  const std::size_t first = delay == 0 ? 0 : 2 * (64 - static_cast<std::size_t>(__builtin_clzll(delay)));
  for (const std::size_t lane : {first, first + 1})
    if (lanes_[lane].empty() || lanes_[lane].back().at <= at) return lane;
  return kHeap;
}

void WakeQueue::set_head(std::size_t lane, const Entry& entry) { head_[lane] = {entry.at, entry.order}; }

void WakeQueue::push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what) {
  const Entry entry{at, order_++, &target, what};
  const std::size_t lane = lane_for(now, at);
  bool was_empty = false;
  if (lane != kHeap) {
    was_empty = lanes_[lane].empty();
    lanes_[lane].push_back(entry);
    if (!was_empty) return;  // its head stands
  } else {
    was_empty = heap_.empty();
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
    if (heap_.front().order != entry.order) return;
  }
  set_head(lane, entry);
  if (active_.empty() || head_[lane].before(head_[front_])) front_ = lane;
  if (was_empty) active_.push_back(lane);
}

WakeQueue::Entry WakeQueue::pop() {
  const std::size_t lane = front_;
  Entry entry;
  bool now_empty = false;
  if (lane != kHeap) {
    entry = lanes_[lane].front();
    lanes_[lane].pop_front();
    now_empty = lanes_[lane].empty();
    if (!now_empty) set_head(lane, lanes_[lane].front());
  } else {
    entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    now_empty = heap_.empty();
    if (!now_empty) set_head(lane, heap_.front());
  }
  if (now_empty) {
    *std::find(active_.begin(), active_.end(), lane) = active_.back();
    active_.pop_back();
  }
  if (!active_.empty()) {
    front_ = active_.front();
    for (const std::size_t candidate : active_)
      if (head_[candidate].before(head_[front_])) front_ = candidate;
  }
  return entry;
}

Scheduler::Scheduler(const sc_core::sc_module_name& name) : sc_module(name) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the time resolution must be 1 ps; it is " +
                                sc_core::sc_get_time_resolution().to_string());
  SC_HAS_PROCESS(Scheduler);
  SC_METHOD(dispatch);
  sensitive << due_;
  dont_initialize();
}

void Scheduler::schedule(TimePs at, Wakeable& target, std::uint32_t what) {
  if (at < now())
    throw std::logic_error("wake-up at " + std::to_string(at) + " ps lies before now, " +
                           std::to_string(now()) + " ps");
  queue_.push(now(), at, target, what);
  if (dispatching_ || at >= notified_ps_) return;
  due_.cancel();
  due_.notify(to_sc_time(at - now()));
  notified_ps_ = at;
}

void Scheduler::dispatch() {
  const TimePs time = now();
  dispatching_ = true;
  while (queue_.next_ps() <= time) {
    const WakeQueue::Entry entry = queue_.pop();
    ++events_;
    entry.target->wake(static_cast<std::uint32_t>(entry.what), time);
  }
  dispatching_ = false;
  notified_ps_ = queue_.next_ps();
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - time));
}

}  // namespace wafertlm
