// SPDX-License-Identifier: Apache-2.0
#include "workloads/synthesis/bounds/relays.h"

#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace wafertlm::bounds {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// Both directions of all links between two vertices.
using Neighbours = std::vector<std::map<std::uint32_t, std::uint64_t>>;

Neighbours neighbours_of(const LinkGraph& graph) {
  Neighbours neighbours(graph.vertices.size());
  for (const LinkGraph::Link& link : graph.links) {
    neighbours[link.from][link.to] += link.bytes_per_s;
    neighbours[link.to][link.from] += link.bytes_per_s;
  }
  return neighbours;
}

}  // namespace

JoinedRelays join_relays(const LinkGraph& graph, const std::vector<std::uint32_t>& members) {
  const Neighbours neighbours = neighbours_of(graph);
  JoinedRelays joined;
  joined.member_of.assign(graph.vertices.size(), kNobody);
  // Widest first; among equal ones who was there first, which spreads them.
  using Way = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, std::uint32_t>;
  std::priority_queue<Way> ways;
  std::int64_t order = 0;
  const auto take = [&](std::uint32_t vertex, std::uint32_t member) {
    joined.member_of[vertex] = member;
    for (const auto& [to, rate] : neighbours[vertex])
      if (joined.member_of[to] == kNobody) ways.emplace(rate, --order, to, member);
  };
  for (std::uint32_t member = 0; member < members.size(); ++member)
    joined.member_of[members[member]] = member;
  for (std::uint32_t member = 0; member < members.size(); ++member) take(members[member], member);
  while (!ways.empty()) {
    const auto [rate, when, vertex, member] = ways.top();
    ways.pop();
    if (joined.member_of[vertex] == kNobody) take(vertex, member);
  }

  joined.graph.vertices = static_cast<std::uint32_t>(members.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> between;
  for (const LinkGraph::Link& link : graph.links) {
    const std::uint32_t a = joined.member_of[link.from], b = joined.member_of[link.to];
    if (a != b) between[std::minmax(a, b)] += link.bytes_per_s;
  }
  for (const auto& [ends, weight] : between) joined.graph.edges.push_back({ends.first, ends.second, weight});
  return joined;
}

}  // namespace wafertlm::bounds
