// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "workloads/edit/edit.h"
#include "workloads/statistics/trace_graph.h"

namespace wafertlm::edit {

using chakra::Node;

void repeat(Nodes& nodes, std::uint32_t copies) {
  std::uint64_t highest = 0;
  std::unordered_set<std::uint64_t> has_children;
  for (const Node& node : nodes) {
    highest = std::max(highest, node.id);
    has_children.insert(node.ctrl_deps.begin(), node.ctrl_deps.end());
    has_children.insert(node.data_deps.begin(), node.data_deps.end());
  }
  const std::uint64_t step = highest + 1;
  // Between two copies one node that does nothing: else every root would depend on every leaf.
  if (copies > 1 && step > std::numeric_limits<std::uint64_t>::max() / 2 / copies)
    throw std::invalid_argument("the ids of so many copies do not fit 64 bits");
  const Nodes original = nodes;
  const std::uint64_t first_border = step * copies;
  for (std::uint32_t copy = 1; copy < copies; ++copy) {
    Node border;
    border.id = first_border + copy;
    border.name = "iteration " + std::to_string(copy);
    border.type = chakra::NodeType::Metadata;
    for (const Node& node : original)
      if (has_children.count(node.id) == 0) border.data_deps.push_back(node.id + step * (copy - 1));
    nodes.push_back(border);
    for (Node node : original) {
      const bool is_root = node.ctrl_deps.empty() && node.data_deps.empty();
      node.id += step * copy;
      for (std::uint64_t& parent : node.ctrl_deps) parent += step * copy;
      for (std::uint64_t& parent : node.data_deps) parent += step * copy;
      if (is_root) node.data_deps.push_back(border.id);
      nodes.push_back(std::move(node));
    }
  }
}

void slice(Nodes& nodes, std::uint64_t from, std::uint64_t to) {
  chakra::VectorSource source("the trace", nodes);
  const statistics::TraceGraph graph = statistics::read_graph(source);
  const auto kept = [&](std::uint32_t position) { return position >= from && position < to; };
  // What stands for a node that is left out: the kept ones that it needs.
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> stands_for;
  Nodes result;
  for (const std::uint32_t position : graph.order) {
    std::vector<std::uint64_t> parents;
    const auto [first, last] = graph.parents(position);
    for (std::size_t edge = first; edge < last; ++edge) {
      const std::uint32_t parent = graph.edges[edge].second;
      if (kept(parent)) {
        parents.push_back(nodes[parent].id);
      } else {
        const auto& others = stands_for[parent];
        parents.insert(parents.end(), others.begin(), others.end());
      }
    }
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    if (!kept(position)) {
      stands_for[position] = std::move(parents);
      continue;
    }
    Node node = nodes[position];
    node.ctrl_deps.clear();
    node.data_deps = std::move(parents);
    result.push_back(std::move(node));
  }
  if (result.empty()) throw std::invalid_argument("no node is left of " + std::to_string(nodes.size()));
  nodes = std::move(result);
}

}  // namespace wafertlm::edit
