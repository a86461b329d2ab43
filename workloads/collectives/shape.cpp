// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/shape.h"

namespace wafertlm {

bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const Topology& topology) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (topology.hops(group[order[i]], group[order[(i + 1) % order.size()]]) != 1) return false;
  return order.size() > 2;
}

std::uint32_t centre_rank(const Group& group, const Topology& topology) {
  const auto distances = topology.distances(group);
  std::uint32_t best = 0;
  TimePs least = kNever;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    if (const TimePs farthest = distances->farthest_ps(group[rank]); farthest < least) {
      least = farthest;
      best = rank;
    }
  return best;
}

}  // namespace wafertlm
