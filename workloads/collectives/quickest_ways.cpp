// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/quickest_ways.h"

namespace wafertlm {

/// Dijkstra's algorithm, all pairs being joined.
std::vector<TimePs> quickest_ways_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const Group& group = request.group;
  if (group.size() > kMostRanksOfWays) return {};
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  std::vector<TimePs> ways(group.size(), kNever);
  std::vector<bool> is_done(group.size(), false);
  ways[request.root] = 0;
  for (std::size_t count = 0; count < group.size(); ++count) {
    std::size_t next = group.size();
    for (std::size_t rank = 0; rank < group.size(); ++rank)
      if (!is_done[rank] && (next == group.size() || ways[rank] < ways[next])) next = rank;
    is_done[next] = true;
    for (std::size_t rank = 0; rank < group.size(); ++rank)
      if (!is_done[rank])
        ways[rank] =
            std::min(ways[rank], ways[next] + (to_root ? fabric.latency_ps(group[rank], group[next])
                                                       : fabric.latency_ps(group[next], group[rank])));
  }
  return ways;
}

}  // namespace wafertlm
