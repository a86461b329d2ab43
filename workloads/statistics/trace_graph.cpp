// SPDX-License-Identifier: Apache-2.0
#include "workloads/statistics/trace_graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::statistics {
namespace {

using chakra::Dependencies;
using chakra::Node;

/// Positions, parents first; of those that could come next the first in the file.
std::vector<std::uint32_t> parents_first(const TraceGraph& graph) {
  const std::size_t size = graph.nodes.size();
  std::vector<std::uint32_t> open(size), first_child(size + 1), children(graph.edges.size());
  for (const auto& [child, parent] : graph.edges) {
    ++open[child];
    ++first_child[parent + 1];
  }
  for (std::size_t i = 0; i < size; ++i) first_child[i + 1] += first_child[i];
  std::vector<std::uint32_t> next(first_child.begin(), first_child.end() - 1);
  for (const auto& [child, parent] : graph.edges) children[next[parent]++] = child;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < size; ++i)
    if (open[i] == 0) ready.push(i);
  std::vector<std::uint32_t> order;
  order.reserve(size);
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (std::uint32_t at = first_child[node]; at < first_child[node + 1]; ++at)
      if (--open[children[at]] == 0) ready.push(children[at]);
  }
  return order;
}

}  // namespace

std::pair<std::size_t, std::size_t> TraceGraph::parents(std::uint32_t child) const {
  const auto first = std::lower_bound(edges.begin(), edges.end(), std::pair(child, 0U));
  auto last = first;
  while (last != edges.end() && last->first == child) ++last;
  return {static_cast<std::size_t>(first - edges.begin()), static_cast<std::size_t>(last - edges.begin())};
}

TraceGraph read_graph(chakra::NodeSource& source, Dependencies dependencies) {
  TraceGraph graph;
  graph.name = source.name();
  std::unordered_map<std::uint64_t, std::uint32_t> positions;
  source.rewind();
  for (Node node; source.next(node);) {
    if (dependencies == Dependencies::data) node.ctrl_deps.clear();
    const auto [found, is_new] = positions.emplace(node.id, static_cast<std::uint32_t>(graph.nodes.size()));
    if (!is_new)
      throw chakra::TraceError(graph.name + ": two nodes with the id of " + chakra::describe(node));
    graph.nodes.push_back(std::move(node));
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    for (const auto* list : {&graph.nodes[i].ctrl_deps, &graph.nodes[i].data_deps})
      for (const std::uint64_t id : *list) {
        const auto parent = positions.find(id);
        if (parent != positions.end())
          graph.edges.emplace_back(i, parent->second);
        else if (dependencies == Dependencies::all)
          throw chakra::TraceError(graph.name + ": " + chakra::describe(graph.nodes[i]) +
                                   " depends on node " + std::to_string(id) +
                                   ", which is not there; see --dependencies");
      }
  std::sort(graph.edges.begin(), graph.edges.end());
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  graph.order = parents_first(graph);
  if (graph.order.size() != graph.nodes.size())
    throw chakra::TraceError(graph.name + ": nodes depend on each other in a circle; see trace check");
  source.rewind();
  return graph;
}

Schedule schedule(const TraceGraph& graph) {
  Schedule result;
  result.start_ps.resize(graph.nodes.size());
  result.end_ps.resize(graph.nodes.size());
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> free;  // by kind and unit
  for (const std::uint32_t position : graph.order) {
    const Node& node = graph.nodes[position];
    const bool computes = node.type == chakra::NodeType::Comp || node.is_launch();
    std::uint64_t start = 0;
    const auto [first, last] = graph.parents(position);
    for (std::size_t edge = first; edge < last; ++edge)
      start = std::max(start, result.end_ps[graph.edges[edge].second]);
    std::uint64_t end = start + node.duration_ps;
    if (computes) {
      std::uint64_t& unit = free[{node.is_cpu_op ? 1 : 0, node.unit}];
      start = std::max(start, unit);
      end = start + node.duration_ps;
      unit = end;
    }
    result.start_ps[position] = start;
    result.end_ps[position] = end;
    result.total_ps = std::max(result.total_ps, end);
  }
  return result;
}

}  // namespace wafertlm::statistics
