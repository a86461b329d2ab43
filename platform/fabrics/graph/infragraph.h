// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/describe/node.h"

namespace wafertlm::config {

/// Whether a document is an InfraGraph (infragraph.dev): devices of components and links, instances of them,
/// and edges.
bool is_infragraph(const Node& document);

/// The graph that it is: NPUs are the components `xpu` of all instances in the order of the file, each other
/// component with an edge is a switch that takes no time, a link without latency takes 1 ps; host 1's nic 0
/// is `host_1_nic_0`. Edges between the same two become one link with their bandwidths added. Values keep
/// their places.
/// @throws ConfigError: a name, an index or a link that is not there; a link without bandwidth, or in
/// transfers, which say nothing of lanes; edges one2one between unequal numbers; a scheme `ring`, which its
/// reference leaves open.
Node graph_of_infragraph(const Node& document);

}  // namespace wafertlm::config
