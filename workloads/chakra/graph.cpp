// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/graph.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace wafertlm::chakra {
namespace {

constexpr std::uint64_t kMissing = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void DependencyGraph::add(const Node& node) {
  ids_.push_back(node.id);
  parents_.insert(parents_.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
  control_.resize(parents_.size(), true);
  parents_.insert(parents_.end(), node.data_deps.begin(), node.data_deps.end());
  control_.resize(parents_.size(), false);
  first_parent_.push_back(parents_.size());
}

void DependencyGraph::resolve() {
  std::vector<std::size_t> by_id(ids_.size());
  std::iota(by_id.begin(), by_id.end(), std::size_t{0});
  std::sort(by_id.begin(), by_id.end(), [this](std::size_t a, std::size_t b) { return ids_[a] < ids_[b]; });
  const auto twice = std::adjacent_find(by_id.begin(), by_id.end(),
                                        [this](std::size_t a, std::size_t b) { return ids_[a] == ids_[b]; });
  if (twice != by_id.end()) duplicate_ = ids_[*twice];

  for (std::size_t child = 0; child < ids_.size(); ++child) {
    for (std::size_t edge = first_parent_[child]; edge < first_parent_[child + 1]; ++edge) {
      const std::uint64_t id = parents_[edge];
      const auto found = std::lower_bound(by_id.begin(), by_id.end(), id,
                                          [this](std::size_t a, std::uint64_t b) { return ids_[a] < b; });
      const bool there = found != by_id.end() && ids_[*found] == id;
      if (!there) missing_.push_back({ids_[child], id, control_[edge]});
      parents_[edge] = there ? *found : kMissing;
    }
  }
}

std::vector<std::size_t> DependencyGraph::order() const {
  const std::size_t size = ids_.size();
  std::vector<std::size_t> open(size, 0);             // parents not done yet
  std::vector<std::size_t> first_child(size + 2, 0);  // counted two places up, so that filling moves it down
  for (const std::uint64_t parent : parents_)
    if (parent != kMissing) ++first_child[parent + 2];
  std::partial_sum(first_child.begin(), first_child.end(), first_child.begin());
  std::vector<std::size_t> children(first_child.back());
  for (std::size_t child = 0; child < size; ++child) {
    for (std::size_t edge = first_parent_[child]; edge < first_parent_[child + 1]; ++edge) {
      if (parents_[edge] == kMissing) continue;
      children[first_child[parents_[edge] + 1]++] = child;
      ++open[child];
    }
  }

  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < size; ++node)
    if (open[node] == 0) ready.push(node);
  std::vector<std::size_t> order;
  order.reserve(size);
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (std::size_t edge = first_child[node]; edge < first_child[node + 1]; ++edge)
      if (--open[children[edge]] == 0) ready.push(children[edge]);
  }
  return order;
}

std::vector<std::uint64_t> DependencyGraph::cycle() const {
  std::vector<bool> stuck(ids_.size(), true);
  for (const std::size_t node : order()) stuck[node] = false;
  auto node = static_cast<std::size_t>(std::find(stuck.begin(), stuck.end(), true) - stuck.begin());
  if (node == ids_.size()) return {};
  // Every stuck node has a stuck parent: going from parent to parent ends in a cycle.
  std::vector<std::size_t> path;
  std::vector<bool> on_path(ids_.size(), false);
  while (!on_path[node]) {
    on_path[node] = true;
    path.push_back(node);
    std::size_t edge = first_parent_[node];
    while (parents_[edge] == kMissing || !stuck[parents_[edge]]) ++edge;
    node = parents_[edge];
  }
  std::vector<std::uint64_t> ids;
  for (auto at = std::find(path.begin(), path.end(), node); at != path.end(); ++at) ids.push_back(ids_[*at]);
  return ids;
}

}  // namespace wafertlm::chakra
