// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "models/graph/graph_fabric.h"
#include "platform/fabrics/graph/on_graph.h"

namespace wafertlm {
namespace {

/// From an NPU that hangs on a switch to itself: there and back. Of one with several links: none.
std::vector<std::uint32_t> links_between(const FabricGraph& graph, std::uint32_t from, std::size_t to) {
  if (from != to) return graph.route(static_cast<NpuId>(from), static_cast<NpuId>(to));
  if (!graph.is_leaf(from)) return {};
  return {graph.out_of(from).front(), graph.into(from).front()};
}

TopologyLink to_itself(const FabricGraph& graph, NpuId npu) {
  TopologyLink way{GraphFabric::kNoWireBytesPerS, 0};
  const auto number = static_cast<std::uint32_t>(index_of(npu));
  for (const std::uint32_t link : links_between(graph, number, number)) {
    const FabricGraph::Link& each = graph.links()[link];
    way.bytes_per_s = std::min(way.bytes_per_s, each.bytes_per_s);
    way.head_ps += each.latency_ps + graph.vertices()[each.to].pipeline_ps;
  }
  return way;
}

/// Flits over each link of the graph, by number, and out of each NPU.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> graph_weights(
    const FabricGraph& graph, const traffic::Pattern& pattern) {
  std::vector<std::uint64_t> over(graph.links().size()), to_npu(graph.npus());
  for (std::uint32_t n = 0; n < graph.npus(); ++n)
    for (const traffic::Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n))) {
      for (const std::uint32_t link : links_between(graph, n, index_of(choice.destination)))
        over[link] += choice.weight;
      to_npu[index_of(choice.destination)] += choice.weight;
    }
  return {std::move(over), std::move(to_npu)};
}

/// In the order of GraphFabric::links(): those out of switches and nodes, from nodes to their NPUs, then
/// injection.
traffic::ChannelLoads graph_channel_loads(const FabricGraph& graph, std::uint64_t cycle_bytes_per_s,
                                          const traffic::Pattern& pattern) {
  const auto weights = graph_weights(graph, pattern);
  const auto& over = weights.first;
  const auto& to_npu = weights.second;
  traffic::ChannelLoads loads;
  loads.total = pattern.total();
  const auto add_links = [&](bool of_leaves) {
    for (std::size_t number = 0; number < graph.links().size(); ++number) {
      const FabricGraph::Link& link = graph.links()[number];
      if (graph.is_leaf(link.from) != of_leaves) continue;
      loads.links.push_back({graph.vertices()[link.from].name + "->" + graph.vertices()[link.to].name,
                             over[number], link.bytes_per_s});
    }
  };
  add_links(false);
  for (std::uint32_t npu = 0; npu < graph.npus(); ++npu)
    if (!graph.is_leaf(npu)) {
      const std::string& name = graph.vertices()[npu].name;
      loads.links.push_back({"node_" + name + "->" + name, to_npu[npu], GraphFabric::kNoWireBytesPerS});
    }
  add_links(true);
  finish(loads, cycle_bytes_per_s);
  return loads;
}

}  // namespace

traffic::TrafficModel graph_traffic(const std::string& name, const GraphParams& params,
                                    const PlacementGrid& grid) {
  const auto graph = params.graph;
  std::uint64_t fastest = 1;
  for (const FabricGraph::Link& link : graph->links())
    if (link.from < graph->npus()) fastest = std::max(fastest, link.bytes_per_s);
  return {{grid.width, grid.height},
          fastest,
          name,
          [graph, fastest](const traffic::Pattern& pattern) {
            return graph_channel_loads(*graph, fastest, pattern);
          },
          0,
          [graph](NpuId npu) { return to_itself(*graph, npu); }};
}

}  // namespace wafertlm
