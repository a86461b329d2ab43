// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/rank_graph.h"

#include <algorithm>
#include <tuple>

#include "workloads/collectives/algorithm/rank_links.h"

namespace wafertlm {
namespace {

bool is_whole(const RankGraph& graph) {
  const LinksByRank links(graph);
  std::vector<bool> reached(graph.ranks, false);
  std::vector<std::uint32_t> order = {0};
  reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::uint32_t link : links.out[order[next]]) {
      const std::uint32_t rank = graph.links[link].to;
      if (reached[rank]) continue;
      reached[rank] = true;
      order.push_back(rank);
    }
  return order.size() == graph.ranks;
}

}  // namespace

bool RankGraph::Link::operator<(const Link& other) const {
  return std::tie(from, to, bytes_per_s) < std::tie(other.from, other.to, other.bytes_per_s);
}

bool RankGraph::Link::operator==(const Link& other) const {
  return std::tie(from, to, bytes_per_s) == std::tie(other.from, other.to, other.bytes_per_s);
}

std::size_t RankGraph::number(std::uint32_t from, std::uint32_t to) const {
  return static_cast<std::size_t>(std::lower_bound(links.begin(), links.end(), Link{from, to, 0}) -
                                  links.begin());
}

bool RankGraph::has(std::uint32_t from, std::uint32_t to) const {
  const std::size_t place = number(from, to);
  return place < links.size() && links[place].from == from && links[place].to == to;
}

std::uint64_t RankGraph::fastest_bytes_per_s() const {
  std::uint64_t fastest = 0;
  for (const Link& link : links) fastest = std::max(fastest, link.bytes_per_s);
  return fastest;
}

LinksByRank::LinksByRank(const RankGraph& graph) : out(graph.ranks), in(graph.ranks) {
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    out[graph.links[link].from].push_back(link);
    in[graph.links[link].to].push_back(link);
  }
}

std::optional<RankGraph> direct_links(const Group& group, const FabricTraits& fabric) {
  const auto links = rank_links(group, fabric);
  if (!links) return {};
  RankGraph all, graph;
  all.ranks = graph.ranks = links->ranks;
  for (const RankLinks::Link& link : links->links)
    all.links.push_back({link.from, link.to, link.bytes_per_s});
  for (const RankGraph::Link& link : all.links)
    if (all.has(link.to, link.from)) graph.links.push_back(link);
  if (!is_whole(graph)) return {};
  return graph;
}

}  // namespace wafertlm
