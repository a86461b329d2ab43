// SPDX-License-Identifier: Apache-2.0
#include "tlm/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

// Objects, not functions: std::sort inlines them.
constexpr auto earlier = [](const WakeQueue::Entry& a, const WakeQueue::Entry& b) {
  return a.at != b.at ? a.at < b.at : static_cast<std::int32_t>(a.order - b.order) < 0;
};
/// For the standard heap, whose front is the last by this order.
constexpr auto later = [](const WakeQueue::Entry& a, const WakeQueue::Entry& b) { return earlier(b, a); };

constexpr std::size_t kCompact = 256;      // popped entries that the open buckets keep at most
constexpr std::uint64_t kAheadSlots = 64;  // buckets are opened at most so far ahead of the time
constexpr std::uint32_t kCrowded = 512;    // with fewer wake-ups than this everything fits the cache anyway

}  // namespace

WakeQueue::WakeQueue(TimePs horizon_ps)
    : shift_(0), heads_(kBuckets, kNil), used_(kBuckets / 64), used_words_(kBuckets / 64 / 64) {
  while (TimePs{kBuckets} << shift_ < horizon_ps) ++shift_;
}

void WakeQueue::put(std::uint64_t slot, const Entry& entry) {
  const auto bucket = static_cast<std::uint32_t>(slot) & (kBuckets - 1);
  std::uint32_t node = free_;
  if (node == kNil) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({entry, heads_[bucket]});
  } else {
    free_ = nodes_[node].next;
    nodes_[node] = {entry, heads_[bucket]};
  }
  heads_[bucket] = node;
  ++pending_;
  used_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  used_words_[bucket / 4096] |= std::uint64_t{1} << bucket / 64 % 64;
}

void WakeQueue::push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what) {
  const Entry entry{at, &target, what, order_++};
  const std::uint64_t slot = at >> shift_;
  // After a rest the calendar begins anew at the present; it spans kBuckets slots from the open one on.
  if (pending_ == 0 && open_front_ == open_.size()) open_slot_ = std::max(open_slot_, now >> shift_);
  if (at == now) {
    immediate_.push_back(entry);
  } else if (slot <= open_slot_) {
    // Into the bucket that is being worked on: rare, a delay shorter than a bucket.
    open_.insert(std::upper_bound(open_.begin() + static_cast<std::ptrdiff_t>(open_front_), open_.end(),
                                  entry, earlier),
                 entry);
  } else if (slot - open_slot_ < kBuckets) {
    put(slot, entry);
  } else {
    far_.push_back(entry);
    std::push_heap(far_.begin(), far_.end(), later);
  }
}

/// The first used bucket from `from` on, going round; kNil if there is none.
std::uint32_t WakeQueue::next_used(std::uint32_t from) const {
  constexpr std::uint32_t kWords = kBuckets / 64, kGroups = kWords / 64;
  std::uint32_t word = from / 64;
  std::uint64_t bits = used_[word] & (~std::uint64_t{0} << from % 64);
  if (bits == 0) {
    const std::uint32_t first = (word + 1) % kWords;
    std::uint32_t group = first / 64;
    std::uint64_t summary = used_words_[group] & (~std::uint64_t{0} << first % 64);
    for (std::uint32_t k = 0; summary == 0 && k < kGroups; ++k)
      summary = used_words_[group = (group + 1) % kGroups];
    if (summary == 0) return kNil;
    word = group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(summary));
    bits = used_[word];
  }
  return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

bool WakeQueue::open_next(std::uint64_t last) {
  const auto start = static_cast<std::uint32_t>(open_slot_ + 1) & (kBuckets - 1);
  const std::uint32_t bucket = pending_ == 0 ? kNil : next_used(start);
  if (bucket == kNil) return false;
  const std::uint64_t slot = nodes_[heads_[bucket]].entry.at >> shift_;
  if (slot > last) return false;
  open_slot_ = slot;
  if (open_front_ == open_.size() || open_front_ >= kCompact) {
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_front_));
    open_front_ = 0;
  }
  const std::size_t before = open_.size();
  for (std::uint32_t node = heads_[bucket]; node != kNil;) {
    open_.push_back(nodes_[node].entry);
    const std::uint32_t next = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    node = next;
    --pending_;
  }
  heads_[bucket] = kNil;
  std::uint64_t& word = used_[bucket / 64];
  word &= ~(std::uint64_t{1} << bucket % 64);
  if (word == 0) used_words_[bucket / 4096] &= ~(std::uint64_t{1} << bucket / 64 % 64);
  if (open_.size() - before > 1)
    std::sort(open_.begin() + static_cast<std::ptrdiff_t>(before), open_.end(), earlier);
  return true;
}

TimePs WakeQueue::next_ps() {
  if (!immediate_.empty()) return immediate_.front().at;
  const TimePs far = far_.empty() ? kNever : far_.front().at;
  if (open_front_ == open_.size() && !open_next()) return far;
  return std::min(open_[open_front_].at, far);
}

bool WakeQueue::pop_due(TimePs now, Entry& entry) {
  // For one instant: the far entries were pushed first, those pushed at the instant itself last.
  if (!far_.empty() && far_.front().at <= now) {
    entry = far_.front();
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
    return true;
  }
  if (open_front_ != open_.size() || open_next()) {
    if (open_[open_front_].at <= now) {
      entry = open_[open_front_++];
      return true;
    }
  }
  if (immediate_.empty()) return false;
  entry = immediate_.front();
  immediate_.pop_front();
  return true;
}

void WakeQueue::look_ahead(TimePs now) {
  constexpr std::size_t kTarget = 13, kDepth[] = {9, 6, 3, 1};  // entries ahead
  while (open_.size() - open_front_ < kTarget + 1)
    if (!open_next((now >> shift_) + kAheadSlots)) break;
  const std::size_t left = open_.size() - open_front_;
  const Entry* const next = open_.data() + open_front_ - 1;
  if (left > kTarget) {
    const auto* const object = reinterpret_cast<const char*>(next[kTarget].target);
    for (std::size_t k = 0; k < 192; k += 64) __builtin_prefetch(object + k);
  }
  for (unsigned depth = 0; depth < 4; ++depth)
    if (left >= kDepth[depth]) next[kDepth[depth]].target->prefetch(next[kDepth[depth]].what, depth);
}

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

void Scheduler::schedule(TimePs at, Wakeable& target, std::uint32_t what) {
  const TimePs time = now();
  if (at < time)
    throw std::logic_error("wake-up at " + std::to_string(at) + " ps lies before now, " +
                           std::to_string(time) + " ps");
  queue_.push(time, at, target, what);
  if (dispatching_ || at >= notified_ps_) return;
  due_.cancel();
  due_.notify(to_sc_time(at - time));
  notified_ps_ = at;
}

void Scheduler::dispatch() {
  const TimePs time = dispatch_ps_ = sc_core::sc_time_stamp().value();
  dispatching_ = true;
  WakeQueue::Entry entry;
  while (queue_.pop_due(time, entry)) {
    ++events_;
    if (queue_.pending() >= kCrowded) queue_.look_ahead(time);
    entry.target->wake(entry.what, time);
  }
  dispatching_ = false;
  notified_ps_ = queue_.next_ps();
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - time));
}

}  // namespace wafertlm
