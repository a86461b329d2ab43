// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/graph_kind.h"

#include <fmt/format.h>

#include "platform/config/value_types.h"
#include "platform/fabrics/graph/graph_type.h"
#include "platform/fabrics/graph/on_graph.h"
#include "tlm/fabric/fabric.h"
#include "tlm/link/class_table.h"

namespace wafertlm {
namespace {

GraphParams params_of(const config::WaferSpec& wafer) {
  return graph_params(wafer.fabric, wafer.fabric.as<config::GraphSpec>().built());
}

}  // namespace

void GraphKind::add_keys(config::Struct<config::FabricSpec>& fabric) const {
  fabric.required(
      "file", [](auto& spec) -> auto& { return spec.template as<config::GraphSpec>(); },
      std::make_shared<const config::FileOr<config::GraphSpec>>(config::graph_type()),
      "The graph: the name of a file, or its keys");
}

void GraphKind::check(const config::FabricSpec& fabric, const config::Check& check) const {
  if (fabric.link_latency_ps != FabricParams().link_latency_ps)  // resolved files have the default
    check.fail({&fabric.link_latency_ps}, "has no effect: each link has a latency of its own; leave it out");
  if (abilities(fabric).dateline_channels && 2 * fabric.virtual_channels > kMaxVcs)
    check.fail({&fabric.virtual_channels},
               fmt::format("rings need two channels for each, so at most {} are possible", kMaxVcs / 2));
  if (fabric.input_queue == InputQueue::fifo)
    check.fail({&fabric.input_queue}, "a graph needs a queue per output: per_output");
  if (fabric.is_reliable())
    check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
               "bit errors are not modelled on a graph; leave them out");
}

FabricAbilities GraphKind::abilities(const config::FabricSpec& fabric) const {
  FabricAbilities abilities;
  abilities.endpoint_memory = false;
  abilities.dateline_channels = !fabric.as<config::GraphSpec>().rings.empty();
  return abilities;
}

TimePs GraphKind::horizon_ps(const config::WaferSpec& wafer) const {
  return graph_horizon_ps(params_of(wafer));
}

std::unique_ptr<Fabric> GraphKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  return make_graph_fabric(params_of(wafer), in);
}

FabricTraits GraphKind::traits(const config::WaferSpec& wafer) const {
  return graph_traits(params_of(wafer));
}

FabricLinkRate GraphKind::fastest_link(const config::WaferSpec& wafer) const {
  return wafertlm::fastest_link(*params_of(wafer).graph);
}

std::string GraphKind::describe(const config::WaferSpec& wafer) const {
  return describe_graph(wafer.fabric.as<config::GraphSpec>().name, params_of(wafer));
}

}  // namespace wafertlm
