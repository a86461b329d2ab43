// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/recorded_graph.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

std::uint32_t RecordedGraph::add(Operation operation) {
  operations_.push_back(std::move(operation));
  return static_cast<std::uint32_t>(operations_.size() - 1);
}

void RecordedGraph::meet(std::uint32_t meeting, std::uint32_t member) {
  if (meetings_.size() <= meeting) meetings_.resize(meeting + std::size_t{1});
  meetings_[meeting].push_back(member);
}

/// The events are numbered: start of operation i is i, its end n + i, meeting m is 2n + m.
void RecordedGraph::close() {
  const auto n = static_cast<std::uint32_t>(operations_.size());
  std::vector<TimePs> last_start(meetings_.size());
  for (std::size_t m = 0; m < meetings_.size(); ++m)
    for (const std::uint32_t member : meetings_[m])
      last_start[m] = std::max(last_start[m], operations_[member].start_ps);
  lag_ps_.resize(n);
  own_ps_.resize(n);
  meets_.resize(n);
  std::vector<std::vector<std::uint32_t>> next(2 * std::size_t{n} + meetings_.size());
  std::vector<std::uint32_t> open(next.size());
  const auto edge = [&](std::uint32_t from, std::uint32_t to) {
    next[from].push_back(to);
    ++open[to];
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    Operation& each = operations_[i];
    const auto late = std::remove_if(each.waits_for.begin(), each.waits_for.end(), [&](std::uint32_t before) {
      return operations_[before].end_ps > each.start_ps;
    });
    left_out_ += static_cast<std::uint64_t>(each.waits_for.end() - late);
    each.waits_for.erase(late, each.waits_for.end());
    TimePs ready = 0;
    for (const std::uint32_t before : each.waits_for) {
      ready = std::max(ready, operations_[before].end_ps);
      edge(n + before, i);
    }
    lag_ps_[i] = each.start_ps - ready;
    // Who leaves before all have come does not wait for them.
    meets_[i] = each.meeting != kNone && last_start[each.meeting] <= each.end_ps;
    own_ps_[i] =
        each.end_ps - (meets_[i] ? std::max(each.start_ps, last_start[each.meeting]) : each.start_ps);
    edge(i, n + i);
    if (meets_[i]) edge(2 * n + each.meeting, n + i);
  }
  for (std::uint32_t m = 0; m < meetings_.size(); ++m)
    for (const std::uint32_t member : meetings_[m]) edge(member, 2 * n + m);
  for (std::uint32_t i = 0; i < open.size(); ++i)
    if (open[i] == 0) order_.push_back(i);
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (const std::uint32_t to : next[order_[k]])
      if (--open[to] == 0) order_.push_back(to);
  if (order_.size() != open.size()) throw std::logic_error("the recorded graph has a cycle");
}

std::vector<TimePs> RecordedGraph::retime(const std::function<TimePs(std::uint32_t)>& own) const {
  const auto n = static_cast<std::uint32_t>(operations_.size());
  std::vector<TimePs> start(n), end(n), met(meetings_.size());
  for (const std::uint32_t event : order_) {
    if (event >= 2 * n) {
      for (const std::uint32_t member : meetings_[event - 2 * n])
        met[event - 2 * n] = std::max(met[event - 2 * n], start[member]);
    } else if (event >= n) {
      const std::uint32_t i = event - n;
      end[i] = (meets_[i] ? std::max(start[i], met[operations_[i].meeting]) : start[i]) + own(i);
    } else {
      TimePs ready = 0;
      for (const std::uint32_t before : operations_[event].waits_for) ready = std::max(ready, end[before]);
      start[event] = ready + lag_ps_[event];
    }
  }
  return end;
}

}  // namespace wafertlm
