// SPDX-License-Identifier: Apache-2.0
#include "tlm/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

/// For the standard heap, whose front is the last by this order.
constexpr auto later = [](const auto& a, const auto& b) {
  return a.entry.at != b.entry.at ? a.entry.at > b.entry.at : a.order > b.order;
};

}  // namespace

WakeQueue::WakeQueue(TimePs horizon_ps)
    : shift_(0), buckets_(kBuckets, {kNil, kNil}), used_(kBuckets / 64), used_words_(kBuckets / 64 / 64) {
  while (TimePs{kBuckets} << shift_ < horizon_ps) ++shift_;
}

void WakeQueue::put(std::uint32_t bucket, const Entry& entry) {
  std::uint32_t node = free_;
  if (node == kNil) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({entry, kNil});
  } else {
    free_ = nodes_[node].next;
    nodes_[node] = {entry, kNil};
  }
  Bucket& into = buckets_[bucket];
  if (into.head == kNil) {
    into = {node, node};
    used_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
    used_words_[bucket / 4096] |= std::uint64_t{1} << bucket / 64 % 64;
  } else if (nodes_[into.tail].entry.at <= entry.at) {
    nodes_[into.tail].next = node;
    into.tail = node;
  } else if (nodes_[into.head].entry.at > entry.at) {
    nodes_[node].next = into.head;
    into.head = node;
  } else {
    std::uint32_t before = into.head;
    while (nodes_[nodes_[before].next].entry.at <= entry.at) before = nodes_[before].next;
    nodes_[node].next = nodes_[before].next;
    nodes_[before].next = node;
  }
}

void WakeQueue::push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what) {
  const Entry entry{at, &target, what};
  if ((at >> shift_) - (now >> shift_) < kBuckets) {
    put(bucket_of(at), entry);
  } else {
    heap_.push_back({entry, far_order_++});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  next_ps_ = std::min(next_ps_, at);
}

/// The earliest entry on the wheel, which holds nothing before `from`.
TimePs WakeQueue::wheel_next_ps(TimePs from) const {
  const std::uint32_t start = bucket_of(from);
  std::uint32_t word = start / 64;
  std::uint64_t bits = used_[word] & ~((std::uint64_t{1} << start % 64) - 1);
  if (bits == 0) {
    // The summary tells the next used word, going round; the start word comes last, for its buckets before `start`.
    const auto words = static_cast<std::uint32_t>(used_words_.size());
    const std::uint32_t first = (word + 1) % (kBuckets / 64);
    std::uint64_t summary = used_words_[first / 64] & ~((std::uint64_t{1} << first % 64) - 1);
    std::uint32_t group = first / 64;
    for (std::uint32_t k = 0; summary == 0 && k < words; ++k) {
      group = (group + 1) % words;
      summary = used_words_[group];
    }
    if (summary == 0) return kNever;
    word = group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(summary));
    bits = used_[word];
  }
  const std::uint32_t bucket = word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
  return nodes_[buckets_[bucket].head].entry.at;
}

WakeQueue::Entry WakeQueue::pop() {
  // An entry of the heap was pushed before any of the wheel's for the same time: it was further ahead then.
  if (!heap_.empty() && heap_.front().entry.at == next_ps_) {
    const Entry entry = heap_.front().entry;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    next_ps_ = wheel_next_ps(entry.at);
    if (!heap_.empty()) next_ps_ = std::min(next_ps_, heap_.front().entry.at);
    return entry;
  }
  const std::uint32_t bucket = bucket_of(next_ps_);
  Bucket& from = buckets_[bucket];
  const std::uint32_t node = from.head;
  const Entry entry = nodes_[node].entry;
  from.head = nodes_[node].next;
  nodes_[node].next = free_;
  free_ = node;
  if (from.head == kNil) {
    std::uint64_t& word = used_[bucket / 64];
    word &= ~(std::uint64_t{1} << bucket % 64);
    if (word == 0) used_words_[bucket / 4096] &= ~(std::uint64_t{1} << bucket / 64 % 64);
    next_ps_ = wheel_next_ps(entry.at);
  } else {
    next_ps_ = nodes_[from.head].entry.at;
  }
  if (!heap_.empty()) next_ps_ = std::min(next_ps_, heap_.front().entry.at);
  return entry;
}

Scheduler::Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps) : sc_module(name), queue_(horizon_ps) {
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
  const TimePs time = dispatch_ps_ = sc_core::sc_time_stamp().value();
  dispatching_ = true;
  while (queue_.next_ps() <= time) {
    const WakeQueue::Entry entry = queue_.pop();
    ++events_;
    entry.target->wake(entry.what, time);
  }
  dispatching_ = false;
  notified_ps_ = queue_.next_ps();
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - time));
}

}  // namespace wafertlm
