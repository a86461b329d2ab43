// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "tlm/kernel/wake_slot.h"

namespace wafertlm {

/// Of equal times what was added first comes first.
struct InOrderOfAdding {
  template <typename Value>
  bool operator()(const Value&, const Value&) const {
    return false;
  }
};

/// What is due when; of equal times what is less, then what was added first, comes first. Its owner has
/// somebody to wake it.
template <typename Value, typename Less = InOrderOfAdding>
class TimedQueue {
 public:
  bool empty() const { return queue_.empty(); }
  /// True if a wake-up at `at` must be asked for.
  bool add(TimePs at, const Value& value) {
    const bool asks = wake_.ask(at);
    queue_.push({at, next_order_++, value});
    return asks;
  }
  /// A wake-up: does what is due, what comes meanwhile too. Returns when the next wake-up must be asked for;
  /// kNever: none.
  template <typename Do>
  TimePs wake(TimePs now, const Do& what) {
    if (!wake_.take(now)) return kNever;
    while (!queue_.empty() && queue_.top().at <= now) {
      const Value value = queue_.top().value;
      queue_.pop();
      what(value);
    }
    return !queue_.empty() && wake_.ask(queue_.top().at) ? queue_.top().at : kNever;
  }

 private:
  struct Entry {
    TimePs at;
    std::uint64_t order;
    Value value;
    bool operator>(const Entry& other) const {
      if (at != other.at) return at > other.at;
      if (Less()(other.value, value)) return true;
      return !Less()(value, other.value) && order > other.order;
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  WakeSlot wake_;
  std::uint64_t next_order_ = 0;
};

}  // namespace wafertlm
