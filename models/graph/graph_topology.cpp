// SPDX-License-Identifier: Apache-2.0
#include "models/graph/graph_topology.h"

#include <algorithm>

namespace wafertlm {
namespace {

/// All links of the NPU that has most, each way.
EndpointPorts endpoint_ports(const FabricGraph& graph) {
  std::uint64_t most_out = 1, most_in = 1;
  for (std::uint32_t npu = 0; npu < graph.npus(); ++npu) {
    const auto [out, in] = graph.npu_bytes_per_s(static_cast<NpuId>(npu));
    most_out = std::max(most_out, out);
    most_in = std::max(most_in, in);
  }
  return {most_out, most_in};
}

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

/// Links from a vertex to every other, breadth first.
std::vector<std::uint32_t> links_from(std::uint32_t vertex, const FabricGraph& graph) {
  std::vector<std::uint32_t> distance(graph.vertices().size(), kUnknown), reached{vertex};
  distance[vertex] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const std::uint32_t link : graph.out_of(reached[next])) {
      const std::uint32_t to = graph.links()[link].to;
      if (distance[to] != kUnknown || graph.links()[link].dead) continue;
      distance[to] = distance[reached[next]] + 1;
      reached.push_back(to);
    }
  return distance;
}

}  // namespace

GraphTopology::GraphTopology(std::shared_ptr<const FabricGraph> graph, Dimensions dimensions)
    : Topology(endpoint_ports(*graph)), graph_(std::move(graph)), dimensions_(std::move(dimensions)) {
  CutFamily switches;
  switches.adds_latency = false;
  for (std::uint32_t npu = 0; npu < npus(); ++npu)
    switches.part_of.push_back(graph_->cluster_of(static_cast<NpuId>(npu)));
  for (std::uint32_t vertex = 0; vertex < graph_->vertices().size(); ++vertex) {
    const auto [out, in] = graph_->cluster_bytes_per_s(vertex);
    switches.rates.push_back({out, in});
  }
  cuts_.push_back(std::move(switches));
}

std::vector<Crossings> GraphTopology::all_pairs_crossings(const Group& group) const {
  if (group.size() > 512) return {};
  Crossings all;
  for (const FabricGraph::Link& link : graph_->links()) all.bytes_per_s += link.dead ? 0 : link.bytes_per_s;
  for (const NpuId from : group) {
    const std::vector<std::uint32_t> distance =
        links_from(static_cast<std::uint32_t>(index_of(from)), *graph_);
    for (const NpuId to : group)
      if (distance[index_of(to)] != kUnknown) all.links += distance[index_of(to)];
  }
  return {all};
}

std::optional<std::vector<NpuId>> GraphTopology::neighbors(NpuId npu) const {
  std::vector<NpuId> found;
  const auto add_those_at = [&](std::uint32_t vertex) {
    if (vertex < npus()) found.push_back(static_cast<NpuId>(vertex));
    for (const std::uint32_t link : graph_->out_of(vertex))
      if (graph_->is_leaf(graph_->links()[link].to))
        found.push_back(static_cast<NpuId>(graph_->links()[link].to));
  };
  const std::uint32_t own = graph_->cluster_of(npu);
  for (const std::uint32_t link : graph_->out_of(own))
    if (!graph_->is_leaf(graph_->links()[link].to)) add_those_at(graph_->links()[link].to);
  for (const std::uint32_t link : graph_->into(own))
    if (!graph_->is_leaf(graph_->links()[link].from)) add_those_at(graph_->links()[link].from);
  return found;
}

TopologyLink GraphTopology::link(std::size_t number) const {
  const FabricGraph::Link& link = graph_->links()[number];
  return {link.bytes_per_s, link.latency_ps};
}

std::string GraphTopology::link_name(std::size_t number) const {
  const FabricGraph::Link& link = graph_->links()[number];
  return graph_->vertices()[link.from].name + "->" + graph_->vertices()[link.to].name;
}

LinkGraph GraphTopology::link_graph() const {
  LinkGraph graph;
  graph.npus = npus();
  for (const FabricGraph::Vertex& vertex : graph_->vertices()) graph.vertices.push_back(vertex.name);
  for (const FabricGraph::Link& link : graph_->links())
    if (!link.dead) graph.links.push_back({link.from, link.to, link.bytes_per_s});
  return graph;
}

void GraphTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  const std::vector<std::uint32_t> links = graph_->route(from, to);
  route.insert(route.end(), links.begin(), links.end());
}

}  // namespace wafertlm
