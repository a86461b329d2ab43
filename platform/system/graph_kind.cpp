// SPDX-License-Identifier: Apache-2.0
#include "platform/system/graph_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/graph/graph_fabric.h"
#include "models/graph/graph_topology.h"
#include "platform/command/format.h"
#include "platform/system/wafers_graph.h"

namespace wafertlm {
namespace {

std::shared_ptr<const FabricGraph> graph_of(const config::WaferSpec& spec) {
  return spec.outer ? wafers_graph(spec) : spec.fabric.graph.built();
}

GraphParams graph_params(const config::WaferSpec& spec) {
  const config::FabricSpec& fabric = spec.fabric;
  return {graph_of(spec),
          fabric.credit_delay_ps,
          {static_cast<std::uint32_t>(fabric.packet_bytes), static_cast<std::uint32_t>(fabric.header_bytes),
           static_cast<std::uint32_t>(fabric.flit_bytes), false},
          fabric.input_buffer_bytes.value_or(0)};
}

}  // namespace

TimePs GraphKind::horizon_ps(const config::WaferSpec& spec) const {
  const GraphParams params = graph_params(spec);
  TimePs longest = 0;
  for (const FabricGraph::Link& link : params.graph->links())
    longest = std::max(
        longest,
        link.latency_ps + transfer_time_ps(std::min<std::uint64_t>(params.format.full_wire_bytes(), 1 << 16),
                                           link.bytes_per_s));
  return 2 * (longest + params.credit_delay_ps);
}

std::unique_ptr<Fabric> GraphKind::make(const config::WaferSpec& spec, bool,
                                        const FabricSurroundings& in) const {
  return std::make_unique<GraphFabric>("fabric", graph_params(spec), in.classes, in.scheduler, in.checkers,
                                       in.reverse);
}

FabricTraits GraphKind::traits(const config::WaferSpec& spec) const {
  const GraphParams params = graph_params(spec);
  FabricTraits traits;
  traits.topology =
      std::make_shared<GraphTopology>(params.graph, spec.outer ? wafer_dimensions(spec) : Dimensions());
  traits.format = params.format;
  return traits;
}

PlacementGrid GraphKind::grid(const config::WaferSpec& spec) const {
  if (!spec.outer) return {spec.fabric.graph.npus, 1};
  return {spec.width, spec.height * spec.outer->wafers};
}

FabricKind::Link GraphKind::fastest_link(const config::WaferSpec& spec) const {
  const auto graph = graph_of(spec);
  Link fastest{0, 0};
  for (const FabricGraph::Link& link : graph->links())
    if (!graph->is_leaf(link.from) && !graph->is_leaf(link.to) && link.bytes_per_s > fastest.bytes_per_s)
      fastest = {link.bytes_per_s, graph->vertices()[link.to].pipeline_ps};
  return fastest;
}

std::string GraphKind::describe(const config::WaferSpec& spec) const {
  const auto graph = graph_of(spec);
  const std::string name =
      spec.outer ? fmt::format("{} wafers of {} x {}", spec.outer->wafers, spec.width, spec.height)
                 : spec.fabric.graph.name;
  return fmt::format(
      "fabric    {}: {} NPUs, {} switches, {} links (each direction counts)\nbuffers   {} per input and "
      "virtual channel\n",
      name, graph->npus(), graph->vertices().size() - graph->npus(), graph->links().size(),
      spec.fabric.input_buffer_bytes ? format_bytes(*spec.fabric.input_buffer_bytes) : "auto");
}

}  // namespace wafertlm
