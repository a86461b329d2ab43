// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "workloads/collectives/algorithm.h"

namespace wafertlm {

/// The least latency between the root and each rank, from the root, or of a reduce or gather to it. Members
/// may pass on: where a route is not the quickest way (a graph's own routes, or fewest hops) that is sooner
/// than the message itself. By rank; the root's is 0. Empty: of more than kMostRanksOfWays ranks.
std::vector<TimePs> quickest_ways_ps(const CollectiveRequest& request, const FabricTraits& fabric);

constexpr std::size_t kMostRanksOfWays = 1024;

}  // namespace wafertlm
