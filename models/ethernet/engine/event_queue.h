// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/units.h"

namespace wafertlm::ethernet {

/// What is due, by time; at equal times in the order of the calls. A radix heap (Ahuja et al., JACM 1990):
/// nothing may be asked for before the time of what was taken last. An entry goes to the bucket of the
/// highest bit in which its time differs from that; as entries of one time are always in one bucket, they
/// keep their order.
class EventQueue {
 public:
  struct Event {
    TimePs at;
    std::uint32_t what, whom;
  };

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Requires at >= the time of the last pop().
  void push(TimePs at, std::uint32_t what, std::uint32_t whom) {
    const unsigned bucket = bucket_of(at);
    buckets_[bucket].push_back({at, what, whom});
    used_ |= std::uint64_t{1} << (bucket & 63);
    ++size_;
  }
  /// Of the next event. Requires !empty().
  TimePs next_ps() {
    if (first_ == buckets_[0].size()) refill();
    return buckets_[0][first_].at;
  }
  Event pop() {
    if (first_ == buckets_[0].size()) refill();
    const Event event = buckets_[0][first_++];
    --size_;
    return event;
  }

 private:
  unsigned bucket_of(TimePs at) const {
    return at == last_ ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(at ^ last_));
  }
  /// The first bucket that holds something becomes the new time and lower buckets.
  void refill() {
    buckets_[0].clear();
    first_ = 0;
    used_ &= ~std::uint64_t{1};
    const auto number = static_cast<unsigned>(__builtin_ctzll(used_));
    std::vector<Event>& bucket = buckets_[number];
    last_ = bucket.front().at;
    for (const Event& event : bucket)
      if (event.at < last_) last_ = event.at;
    for (const Event& event : bucket) {
      const unsigned to = bucket_of(event.at);
      buckets_[to].push_back(event);
      used_ |= std::uint64_t{1} << to;
    }
    bucket.clear();
    used_ &= ~(std::uint64_t{1} << number);
  }

  std::array<std::vector<Event>, 64> buckets_;  // times are below 2^63
  std::uint64_t used_ = 0;                      // buckets that are not empty
  std::size_t first_ = 0, size_ = 0;            // of bucket 0: the next one
  TimePs last_ = 0;
};

}  // namespace wafertlm::ethernet
