// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/on_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/graph/graph_fabric.h"
#include "models/graph/graph_topology.h"
#include "platform/text/format.h"

namespace wafertlm {

GraphParams graph_params(const config::FabricSpec& fabric, std::shared_ptr<const FabricGraph> graph) {
  GraphParams params;
  static_cast<FabricParams&>(params) = fabric;
  params.graph = std::move(graph);
  return params;
}

TimePs graph_horizon_ps(const GraphParams& params) {
  TimePs longest = 0;
  for (const FabricGraph::Link& link : params.graph->links())
    longest = std::max(longest,
                       link.latency_ps + link.credit_delay_ps.value_or(params.credit_delay_ps) +
                           transfer_time_ps(std::min<std::uint64_t>(params.format.full_wire_bytes(), 1 << 16),
                                            link.bytes_per_s));
  return 2 * longest;
}

std::unique_ptr<Fabric> make_graph_fabric(const GraphParams& params, const BuildContext& in) {
  return std::make_unique<GraphFabric>("fabric", params, in.classes, in.scheduler, in.checkers, in.reverse,
                                       in.remote);
}

FabricTraits graph_traits(const GraphParams& params, Dimensions dimensions) {
  FabricTraits traits;
  traits.topology = std::make_shared<GraphTopology>(params.graph, std::move(dimensions));
  traits.format = params.format;
  return traits;
}

FabricLinkRate fastest_link(const FabricGraph& graph) {
  FabricLinkRate fastest;
  for (const FabricGraph::Link& link : graph.links())
    if (!graph.is_leaf(link.from) && !graph.is_leaf(link.to) && link.bytes_per_s > fastest.bytes_per_s)
      fastest = {link.bytes_per_s, graph.vertices()[link.to].pipeline_ps};
  return fastest;
}

std::string describe_graph(const std::string& name, const GraphParams& params) {
  const FabricGraph& graph = *params.graph;
  return fmt::format(
      "fabric    {}: {} NPUs, {} switches, {} links (each direction counts)\nbuffers   {} per input and "
      "virtual channel\n",
      name, graph.npus(), graph.vertices().size() - graph.npus(), graph.links().size(),
      params.buffer_bytes != 0 ? format_bytes(params.buffer_bytes) : "auto");
}

}  // namespace wafertlm
