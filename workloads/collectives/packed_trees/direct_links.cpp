// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/direct_links.h"

#include <set>

namespace wafertlm {
namespace {

bool is_connected(const RankGraph& graph) {
  std::vector<std::uint32_t> part(graph.ranks);
  for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) part[rank] = rank;
  const auto top = [&](std::uint32_t rank) {
    while (part[rank] != rank) rank = part[rank] = part[part[rank]];
    return rank;
  };
  std::uint32_t parts = graph.ranks;
  for (const auto& [a, b] : graph.links)
    if (top(a) != top(b)) {
      part[top(a)] = top(b);
      --parts;
    }
  return parts == 1;
}

}  // namespace

std::optional<RankGraph> direct_links(const Group& group, const Topology& topology) {
  RankGraph graph;
  graph.ranks = static_cast<std::uint32_t>(group.size());
  std::set<std::size_t> used;
  std::uint64_t rate = 0;
  for (std::uint32_t a = 0; a < graph.ranks; ++a)
    for (std::uint32_t b = a + 1; b < graph.ranks; ++b) {
      if (topology.hops(group[a], group[b]) != 1 || topology.hops(group[b], group[a]) != 1) continue;
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        if (!used.insert(topology.route(group[from], group[to]).front()).second) return {};
        const std::uint64_t of_path = topology.path_bytes_per_s(group[from], group[to]);
        if (rate != 0 && rate != of_path) return {};
        rate = of_path;
      }
      graph.links.emplace_back(a, b);
    }
  if (graph.ranks < 2 || !is_connected(graph)) return {};
  return graph;
}

}  // namespace wafertlm
