// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/deadlock.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <stdexcept>

namespace wafertlm::backends {
namespace {

/// By operation: what it waits for.
using Waits = std::vector<std::vector<Wait>>;

/// Behind the last one on its engine, and behind the last one that its rank stands still in.
Waits waits_of(const IssuePlan& plan) {
  Waits waits(plan.operations.size());
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    std::map<std::string, std::size_t> held;  // engine → the last operation issued to it
    std::optional<std::size_t> blocking;
    for (const Issue& issue : plan.ranks[rank]) {
      const std::string& engine = plan.operations[issue.operation].engine;
      if (blocking) waits[issue.operation].push_back({issue.operation, rank, *blocking, true});
      const auto [last, is_first] = held.emplace(engine, issue.operation);
      if (!is_first && last->second != blocking)
        waits[issue.operation].push_back({issue.operation, rank, last->second, false});
      last->second = issue.operation;
      if (issue.blocks) blocking = issue.operation;
    }
  }
  return waits;
}

/// Whether each operation gets done: all that it waits for does.
std::vector<bool> done_operations(const Waits& waits) {
  std::vector<std::vector<std::size_t>> followers(waits.size());
  std::vector<std::size_t> open(waits.size());
  std::queue<std::size_t> ready;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    open[i] = waits[i].size();
    for (const Wait& wait : waits[i]) followers[wait.behind].push_back(i);
    if (open[i] == 0) ready.push(i);
  }
  std::vector<bool> done(waits.size(), false);
  for (; !ready.empty(); ready.pop()) {
    done[ready.front()] = true;
    for (const std::size_t follower : followers[ready.front()])
      if (--open[follower] == 0) ready.push(follower);
  }
  return done;
}

/// The shortest way from an operation back to itself; empty: there is none.
std::vector<Wait> cycle_through(std::size_t start, const Waits& waits) {
  std::vector<const Wait*> reached_by(waits.size(), nullptr);
  std::queue<std::size_t> open({start});
  for (; !open.empty(); open.pop())
    for (const Wait& wait : waits[open.front()]) {
      if (reached_by[wait.behind]) continue;
      reached_by[wait.behind] = &wait;
      if (wait.behind != start) {
        open.push(wait.behind);
        continue;
      }
      std::vector<Wait> cycle;
      const Wait* step = &wait;
      for (; step->operation != start; step = reached_by[step->operation]) cycle.push_back(*step);
      cycle.push_back(*step);
      std::reverse(cycle.begin(), cycle.end());
      return cycle;
    }
  return {};
}

}  // namespace

void require_valid(const IssuePlan& plan) {
  std::vector<std::set<std::uint32_t>> members(plan.operations.size()), issued(plan.operations.size());
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const GroupOperation& operation = plan.operations[i];
    if (operation.ranks.empty())
      throw std::invalid_argument("operation '" + operation.name + "' has no ranks");
    for (const std::uint32_t rank : operation.ranks) {
      const std::string of_rank = "operation '" + operation.name + "': rank " + std::to_string(rank);
      if (rank >= plan.ranks.size()) throw std::invalid_argument(of_rank + " issues nothing");
      if (!members[i].insert(rank).second) throw std::invalid_argument(of_rank + " is named twice");
    }
  }
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank)
    for (const Issue& issue : plan.ranks[rank]) {
      if (issue.operation >= plan.operations.size())
        throw std::invalid_argument("rank " + std::to_string(rank) + " issues what is no operation");
      const std::string of_rank =
          "operation '" + plan.operations[issue.operation].name + "': rank " + std::to_string(rank);
      if (members[issue.operation].count(rank) == 0)
        throw std::invalid_argument(of_rank + " issues it and is none of its ranks");
      if (!issued[issue.operation].insert(rank).second)
        throw std::invalid_argument(of_rank + " issues it twice");
    }
  for (std::size_t i = 0; i < plan.operations.size(); ++i)
    for (const std::uint32_t rank : members[i])
      if (issued[i].count(rank) == 0)
        throw std::invalid_argument("operation '" + plan.operations[i].name + "': rank " +
                                    std::to_string(rank) + " never issues it, so it never ends");
}

std::vector<Wait> find_deadlock(const IssuePlan& plan) {
  require_valid(plan);
  const Waits waits = waits_of(plan);
  const std::vector<bool> done = done_operations(waits);
  constexpr std::size_t kStarts = 1000;  // beyond, a cycle that is found need not be a shortest one
  std::vector<Wait> shortest;
  std::size_t starts = 0;
  for (std::size_t i = 0; i < waits.size() && (starts < kStarts || shortest.empty()); ++i) {
    if (done[i]) continue;
    ++starts;
    const std::vector<Wait> cycle = cycle_through(i, waits);
    if (!cycle.empty() && (shortest.empty() || cycle.size() < shortest.size())) shortest = cycle;
    if (shortest.size() == 2) break;
  }
  return shortest;
}

std::vector<std::string> described(const std::vector<Wait>& cycle, const IssuePlan& plan) {
  std::vector<std::string> lines;
  for (const Wait& wait : cycle) {
    const GroupOperation &operation = plan.operations[wait.operation], &behind = plan.operations[wait.behind];
    std::string line =
        operation.name + " on " + operation.backend + " waits for rank " + std::to_string(wait.rank);
    line += wait.is_blocked ? ", which stands still in " + behind.name + " on " + behind.backend
                            : ", whose engine '" + behind.engine + "' holds " + behind.name + " on " +
                                  behind.backend + " until all its ranks have joined";
    lines.push_back(std::move(line));
  }
  return lines;
}

IssuePlan with_one_order(IssuePlan plan) {
  for (std::vector<Issue>& rank : plan.ranks)
    std::stable_sort(rank.begin(), rank.end(),
                     [](const Issue& a, const Issue& b) { return a.operation < b.operation; });
  return plan;
}

IssuePlan with_own_engines(IssuePlan plan) {
  for (GroupOperation& operation : plan.operations) operation.engine = operation.backend;
  return plan;
}

}  // namespace wafertlm::backends
