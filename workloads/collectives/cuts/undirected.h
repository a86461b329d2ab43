// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/shape/link_graph.h"
#include "workloads/collectives/cuts/strength.h"

namespace wafertlm::bounds {

/// A fabric's graph with both directions of all links between two vertices added up.
struct Undirected {
  WeightedGraph graph;
  std::vector<std::uint32_t> vertex_of;  ///< by vertex of the fabric
};

/// With the members of a group as terminals. A switch on which a vertex hangs by as much as by all its other
/// links is one vertex with it: no cut between them is the smallest.
Undirected undirected(const LinkGraph& fabric, const std::vector<std::uint32_t>& members);

}  // namespace wafertlm::bounds
