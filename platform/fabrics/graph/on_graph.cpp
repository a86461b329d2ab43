// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/on_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/graph/graph_fabric.h"
#include "platform/command/format.h"

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
    longest = std::max(
        longest,
        link.latency_ps + transfer_time_ps(std::min<std::uint64_t>(params.format.full_wire_bytes(), 1 << 16),
                                           link.bytes_per_s));
  return 2 * (longest + params.credit_delay_ps);
}

std::unique_ptr<Fabric> make_graph_fabric(const GraphParams& params, const BuildContext& in) {
  return std::make_unique<GraphFabric>("fabric", params, in.classes, in.scheduler, in.checkers, in.reverse);
}

FabricTraits graph_traits(const GraphParams& params) {
  FabricTraits traits;
  traits.kind = FabricTraits::Kind::graph;
  traits.graph = params.graph;
  for (std::uint32_t npu = 0; npu < traits.graph->npus(); ++npu)
    traits.injection_bytes_per_s =
        std::max(traits.injection_bytes_per_s, traits.graph->npu_bytes_per_s(static_cast<NpuId>(npu)));
  traits.injection_bytes_per_s = std::max<std::uint64_t>(traits.injection_bytes_per_s, 1);
  traits.ejection_bytes_per_s = traits.injection_bytes_per_s;
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

traffic::ChannelLoads graph_channel_loads(const FabricGraph& graph, std::uint64_t cycle_bytes_per_s,
                                          const traffic::Pattern& pattern) {
  std::vector<std::uint64_t> weights(graph.links().size());
  for (std::uint32_t n = 0; n < graph.npus(); ++n)
    for (const traffic::Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n))) {
      const auto from = static_cast<NpuId>(n);
      if (choice.destination == from) {  // over its switch, as everything
        weights[graph.out_of(n).front()] += choice.weight;
        weights[graph.into(n).front()] += choice.weight;
        continue;
      }
      for (const std::uint32_t link : graph.route(from, choice.destination)) weights[link] += choice.weight;
    }
  traffic::ChannelLoads loads;
  loads.total = pattern.total();
  for (const bool injection : {false, true})
    for (std::uint32_t number = 0; number < weights.size(); ++number) {
      const FabricGraph::Link& link = graph.links()[number];
      if (graph.is_leaf(link.from) == injection)
        loads.links.push_back({graph.vertices()[link.from].name + "->" + graph.vertices()[link.to].name,
                               weights[number], link.bytes_per_s});
    }
  finish(loads, cycle_bytes_per_s);
  return loads;
}

}  // namespace wafertlm
