// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "models/ethernet/engine/queue_pair.h"
#include "models/ethernet/network/log_histogram.h"
#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

inline double slowdown(TimePs took_ps, TimePs alone_ps) {
  return static_cast<double>(took_ps) / static_cast<double>(std::max<TimePs>(alone_ps, 1));
}

/// The queue pairs from one NPU to another, and what its messages took: from handing a message to the NIC,
/// behind earlier ones of the same queue pairs, until all of it is there. The slowdown is that over what it
/// takes alone on an idle network.
struct Connection {
  std::uint32_t from = 0, to = 0;          ///< NPUs
  std::vector<std::uint32_t> queue_pairs;  ///< of the engine
  std::uint64_t messages = 0, bytes = 0;
  TimePs completion_ps = 0, most_completion_ps = 0;  ///< sum, longest
  std::uint64_t slowdowns = 0;                       ///< sum, in 2^-32
  double most_slowdown = 0;

  QueuePairCounters counters;  ///< of queue pairs that are gone

  void completed(std::uint64_t of_bytes, TimePs took_ps, TimePs alone_ps) {
    const double slowdown = ethernet::slowdown(took_ps, alone_ps);
    ++messages;
    bytes += of_bytes;
    completion_ps += took_ps;
    most_completion_ps = std::max(most_completion_ps, took_ps);
    slowdowns += static_cast<std::uint64_t>(std::ldexp(slowdown, 32));
    most_slowdown = std::max(most_slowdown, slowdown);
  }
  double mean_slowdown() const {
    return messages == 0 ? 0
                         : std::ldexp(static_cast<double>(slowdowns), -32) / static_cast<double>(messages);
  }
  void list_state(StateVisitor& state) {
    state.count(messages);
    state.count(bytes);
    state.count(completion_ps);
    state.count(slowdowns);
    counters.list_state(state);
  }
};

/// The larger slowdown, then the lower numbers.
inline bool comes_first(const Connection& a, const Connection& b) {
  return std::make_tuple(b.most_slowdown, a.from, a.to) < std::make_tuple(a.most_slowdown, b.from, b.to);
}

/// All of them, and the distributions over their messages.
class Connections {
 public:
  static constexpr double kSlowdownUnit = 1000;  ///< of the histogram
  static constexpr std::size_t kMost = 1000;     ///< that results list

  std::uint32_t add(std::uint32_t from, std::uint32_t to) {
    all_.emplace_back();
    all_.back().from = from;
    all_.back().to = to;
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  void add_queue_pair(std::uint32_t number, std::uint32_t queue_pair) {
    all_[number].queue_pairs.push_back(queue_pair);
  }
  void completed(TimePs took_ps, TimePs alone_ps) {
    completions_ps_.add(took_ps);
    slowdowns_.add(static_cast<std::uint64_t>(slowdown(took_ps, alone_ps) * kSlowdownUnit + 0.5));
  }
  /// A connection that is over. Of these the kMost with the largest slowdowns are kept.
  void keep_if_slow(const Connection& over) {
    if (all_.size() == kMost && !comes_first(over, all_.front())) return;
    all_.push_back(over);
    std::push_heap(all_.begin(), all_.end(), comes_first);
    if (all_.size() <= kMost) return;
    std::pop_heap(all_.begin(), all_.end(), comes_first);
    all_.pop_back();
  }

  Connection& operator[](std::uint32_t number) { return all_[number]; }
  const Connection& operator[](std::uint32_t number) const { return all_[number]; }
  const std::vector<Connection>& all() const { return all_; }
  const LogHistogram& completions_ps() const { return completions_ps_; }
  const LogHistogram& slowdowns() const { return slowdowns_; }  ///< in 1/kSlowdownUnit

  /// The distributions; connections one by one, since there may be more of them later.
  void list_state(StateVisitor& state) {
    completions_ps_.list_state(state, kNever);
    slowdowns_.list_state(state, kNever);
  }
  void list_state(std::uint32_t number, StateVisitor& state) { all_[number].list_state(state); }

 private:
  std::vector<Connection> all_;
  LogHistogram completions_ps_, slowdowns_;
};

}  // namespace wafertlm::ethernet
