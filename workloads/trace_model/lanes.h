// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/statistics/trace_graph.h"

namespace wafertlm::trace_model {

/// For each rank and node, in the order of the graph: the lane of a message, 0 for other nodes. In a lane
/// from one rank to another messages are received in the order in which they are sent, so that it can stand
/// for tags. As few lanes as are needed: most jobs have one.
/// @throws chakra::TraceError: a peer that there is not, a send without its receive or the reverse.
std::vector<std::vector<std::uint32_t>> lanes_of(const std::vector<statistics::TraceGraph>& ranks);

/// The rank that a message comes from or goes to.
std::uint32_t peer_of(const chakra::Node& message);

}  // namespace wafertlm::trace_model
