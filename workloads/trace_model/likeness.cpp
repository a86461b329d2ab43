// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/likeness.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "workloads/statistics/duration_grid.h"
#include "workloads/trace_model/perturb.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using statistics::TraceGraph;

std::uint64_t label(const Node& node, TimePs grid_ps) {
  std::uint64_t key = std::hash<std::string>()(statistics::class_of(node));
  for (const std::uint64_t value :
       {std::uint64_t{node.unit}, statistics::on_grid(node.duration_ps, grid_ps),
        node.comm_size.value_or(~std::uint64_t{0}), node.tensor_size.value_or(~std::uint64_t{0}),
        node.num_ops.value_or(~std::uint64_t{0})})
    key = mixed(key, value);
  for (const MatrixProduct& p : node.products)
    for (const std::uint64_t value : {p.m, p.n, p.k, p.count}) key = mixed(key, value);
  return key;
}

/// Sets of nodes that are put together.
class Parts {
 public:
  explicit Parts(std::size_t size) : leader_(size), nodes_(size, 1) {
    std::iota(leader_.begin(), leader_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t at) {
    while (leader_[at] != at) at = leader_[at] = leader_[leader_[at]];
    return at;
  }
  std::uint64_t join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return nodes_[a];
    leader_[b] = a;
    return nodes_[a] += nodes_[b];
  }

 private:
  std::vector<std::uint32_t> leader_;
  std::vector<std::uint64_t> nodes_;
};

}  // namespace

std::uint64_t most_identical_nodes(const Ranks& source, const Ranks& made) {
  std::unordered_set<std::uint64_t> nodes, edges;
  statistics::DurationGrid durations;
  for (const TraceGraph& graph : source)
    for (const Node& node : graph.nodes) durations.add(node.duration_ps);
  const TimePs grid_ps = durations.step_ps();
  for (const TraceGraph& graph : source) {
    std::vector<std::uint64_t> labels;
    for (const Node& node : graph.nodes) labels.push_back(label(node, grid_ps));
    nodes.insert(labels.begin(), labels.end());
    for (const auto& [child, parent] : graph.edges) edges.insert(mixed(labels[child], labels[parent]));
  }
  std::uint64_t most = 0;
  for (const TraceGraph& graph : made) {
    std::vector<std::uint64_t> labels;
    for (const Node& node : graph.nodes) labels.push_back(label(node, grid_ps));
    if (most == 0 &&
        std::any_of(labels.begin(), labels.end(), [&](std::uint64_t each) { return nodes.count(each) != 0; }))
      most = 1;
    Parts parts(graph.nodes.size());
    for (const auto& [child, parent] : graph.edges)
      if (nodes.count(labels[child]) != 0 && edges.count(mixed(labels[child], labels[parent])) != 0)
        most = std::max(most, parts.join(child, parent));
  }
  return most;
}

}  // namespace wafertlm::trace_model
