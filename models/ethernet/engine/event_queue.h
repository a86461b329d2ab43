// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

/// What is due, by time; at equal times in the order of the calls. A radix heap (Ahuja et al., JACM 1990)
/// over slices of time: an event goes to the bucket of the highest bit in which its slice differs from the
/// current one, where it keeps its order; the current slice is sorted. So what comes next is known a few
/// events ahead, and can be fetched. What is asked for while its slice is the current one goes to a heap: how
/// long a slice is grows with the network. Nothing may be asked for before the time of what was taken last.
class EventQueue {
 public:
  struct Event {
    TimePs at;
    std::uint32_t what, whom;
  };

  bool empty() const { return size_ == 0; }
  void push(TimePs at, std::uint32_t what, std::uint32_t whom) {
    ++size_;
    const unsigned bucket = bucket_of(at);
    if (bucket == 0) {
      late_.push_back({{at, what, whom}, late_count_++});
      return std::push_heap(late_.begin(), late_.end());
    }
    buckets_[bucket].push_back({at, what, whom});
    used_ |= std::uint64_t{1} << bucket;
  }
  /// Of the next event. Requires !empty().
  TimePs next_ps() {
    if (first_ == slice_.size() && late_.empty()) refill();
    return next_is_late() ? late_.front().event.at : slice_[first_].at;
  }
  Event pop() {
    if (first_ == slice_.size() && late_.empty()) refill();
    --size_;
    if (!next_is_late()) return slice_[first_++];
    std::pop_heap(late_.begin(), late_.end());
    const Event event = late_.back().event;
    late_.pop_back();
    return event;
  }
  /// The event so many behind the next one, if that is in the same slice; else null.
  const Event* ahead(std::size_t by) const {
    return first_ + by < slice_.size() ? &slice_[first_ + by] : nullptr;
  }

 private:
  static constexpr unsigned kSliceBits = 14;  // 16 ns: shorter than most waits
  unsigned bucket_of(TimePs at) const {
    const std::uint64_t slice = at >> kSliceBits, differs = slice ^ current_;
    // Who looked at the next event may still bring an earlier one, which then joins its slice.
    return slice <= current_ ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(differs));
  }
  struct Late {
    Event event;
    std::uint64_t order;
    /// For the standard heap, whose front is the last by this order.
    bool operator<(const Late& other) const {
      return event.at != other.event.at ? event.at > other.event.at : order > other.order;
    }
  };
  /// Of events at one time those of the slice were asked for first.
  bool next_is_late() const {
    return !late_.empty() && (first_ == slice_.size() || late_.front().event.at < slice_[first_].at);
  }
  /// The first bucket that holds something becomes the current slice and lower buckets.
  void refill() {
    slice_.clear();
    first_ = 0;
    const auto number = static_cast<unsigned>(__builtin_ctzll(used_));
    std::vector<Event>& bucket = buckets_[number];
    TimePs least = bucket.front().at;
    for (const Event& event : bucket) least = std::min(least, event.at);
    current_ = least >> kSliceBits;
    for (const Event& event : bucket) {
      const unsigned to = bucket_of(event.at);
      (to == 0 ? slice_ : buckets_[to]).push_back(event);
      used_ |= std::uint64_t{to != 0} << to;
    }
    bucket.clear();
    used_ &= ~(std::uint64_t{1} << number);
    std::stable_sort(slice_.begin(), slice_.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
  }

  std::array<std::vector<Event>, 64> buckets_;  // from 1 on
  std::uint64_t used_ = 0;                      // buckets that are not empty
  std::vector<Event> slice_;                    // the current one, sorted
  std::size_t first_ = 0;                       // … of which the next event is this
  std::vector<Late> late_;                      // heap
  std::uint64_t late_count_ = 0;
  std::size_t size_ = 0;
  std::uint64_t current_ = 0;
};

}  // namespace wafertlm::ethernet
