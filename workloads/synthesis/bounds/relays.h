// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/link_graph.h"
#include "workloads/synthesis/bounds/strength.h"

namespace wafertlm::bounds {

/// The members of a group with what lies between them: every other vertex joined to a member.
struct JoinedRelays {
  std::vector<std::uint32_t> member_of;  ///< by vertex: a position in the group
  WeightedGraph graph;                   ///< of the members; both directions of links added up
};

/// Partitions bound an all-reduce only if every part has a member (a part of switches alone needs no vector
/// of its own), and to find the best of those is NP-hard (with as many parts as members it is the multiway
/// cut). So switches and NPUs outside the group go with one member each: from the members on along the widest
/// links. The partitions that are left are valid bounds, and all of them where every vertex is a member or
/// hangs on one.
JoinedRelays join_relays(const LinkGraph& graph, const std::vector<std::uint32_t>& members);

}  // namespace wafertlm::bounds
