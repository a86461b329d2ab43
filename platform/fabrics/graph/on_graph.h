// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "models/graph/graph_params.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/fabric_spec.h"
#include "platform/spec/traffic/traffic_model.h"

namespace wafertlm {

// For kinds that are graphs to the models: each has its own keys and makes a graph of them.

/// With what all fabrics have.
GraphParams graph_params(const config::FabricSpec& fabric, std::shared_ptr<const FabricGraph> graph);
TimePs graph_horizon_ps(const GraphParams& params);
std::unique_ptr<Fabric> make_graph_fabric(const GraphParams& params, const BuildContext& in);
/// `dimensions`: of a graph along which collectives can go, as GraphTopology.
FabricTraits graph_traits(const GraphParams& params, Dimensions dimensions = {});
FabricLinkRate fastest_link(const FabricGraph& graph);
/// Patterns are laid over `grid`; a cycle is the time of a flit on the fastest link of an NPU.
traffic::TrafficModel graph_traffic(const std::string& name, const GraphParams& params,
                                    const PlacementGrid& grid);
/// Lines for `wafertlm check`.
std::string describe_graph(const std::string& name, const GraphParams& params);

}  // namespace wafertlm
