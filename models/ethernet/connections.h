// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/ethernet/network/log_histogram.h"
#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

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

  double mean_slowdown() const {
    return messages == 0 ? 0
                         : std::ldexp(static_cast<double>(slowdowns), -32) / static_cast<double>(messages);
  }
  void list_state(StateVisitor& state) {
    state.count(messages);
    state.count(bytes);
    state.count(completion_ps);
    state.count(slowdowns);
  }
};

/// All of them, and the distributions over their messages.
class Connections {
 public:
  static constexpr double kSlowdownUnit = 1000;  ///< of the histogram

  std::uint32_t add(std::uint32_t from, std::uint32_t to) {
    all_.emplace_back();
    all_.back().from = from;
    all_.back().to = to;
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  void add_queue_pair(std::uint32_t number, std::uint32_t queue_pair) {
    all_[number].queue_pairs.push_back(queue_pair);
  }
  void completed(std::uint32_t number, std::uint64_t bytes, TimePs took_ps, TimePs alone_ps) {
    Connection& of = all_[number];
    const double slowdown = static_cast<double>(took_ps) / static_cast<double>(std::max<TimePs>(alone_ps, 1));
    ++of.messages;
    of.bytes += bytes;
    of.completion_ps += took_ps;
    of.most_completion_ps = std::max(of.most_completion_ps, took_ps);
    of.slowdowns += static_cast<std::uint64_t>(std::ldexp(slowdown, 32));
    of.most_slowdown = std::max(of.most_slowdown, slowdown);
    completions_ps_.add(took_ps);
    slowdowns_.add(static_cast<std::uint64_t>(slowdown * kSlowdownUnit + 0.5));
  }

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
