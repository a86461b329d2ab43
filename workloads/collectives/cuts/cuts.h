// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/shape/link_graph.h"

namespace wafertlm::bounds {

/// One side of a graph, and what leaves it.
struct DirectedCut {
  std::vector<bool> inside;       ///< by vertex
  std::uint64_t members = 0;      ///< inside, of those that were asked for
  std::uint64_t bytes_per_s = 0;  ///< of the links from inside to outside
};

// Exact as long as capacity_unit() is.

/// The graph with all links turned round, in the same order.
LinkGraph reversed(LinkGraph graph);

/// The cut of most members inside over bandwidth that leaves, over all cuts that leave a member outside: an
/// all-gather of blocks of b bytes takes b · members / bandwidth at least, and ForestColl shows that it can
/// be reached (Zhao et al., arXiv 2402.06787). A minimum cut per member.
DirectedCut densest_cut(const LinkGraph& graph, const std::vector<std::uint32_t>& members);

/// The cut with the least bandwidth between the root, inside, and a member outside: what a broadcast of S
/// bytes takes at least is S over it, and arborescences reach it (Edmonds 1973). A minimum cut per member.
DirectedCut narrowest_from(const LinkGraph& graph, std::uint32_t root,
                           const std::vector<std::uint32_t>& members);

/// The cut with the least bandwidth that has members on both sides.
DirectedCut narrowest_between(const LinkGraph& graph, const std::vector<std::uint32_t>& members);

}  // namespace wafertlm::bounds
