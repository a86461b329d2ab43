// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/direct_links.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tlm/link_graph.h"

namespace wafertlm {
namespace {

/// Of larger groups only neighbours are looked at.
constexpr std::size_t kLargestGroupWithRoutes = 256;
/// Longer routes cost more latency than another link brings.
constexpr std::uint32_t kLongestRoute = 16;

/// Ranks that are joined, as sets.
class JoinedRanks {
 public:
  explicit JoinedRanks(std::uint32_t ranks) : part_(ranks), parts_(ranks) {
    std::iota(part_.begin(), part_.end(), 0U);
  }
  bool joins(std::uint32_t a, std::uint32_t b) { return top(a) != top(b); }
  void join(std::uint32_t a, std::uint32_t b) {
    if (!joins(a, b)) return;
    part_[top(a)] = top(b);
    --parts_;
  }
  bool is_whole() const { return parts_ == 1; }

 private:
  std::uint32_t top(std::uint32_t rank) {
    while (part_[rank] != rank) rank = part_[rank] = part_[part_[rank]];
    return rank;
  }
  std::vector<std::uint32_t> part_;
  std::uint32_t parts_;
};

/// Takes pairs as long as their routes are free.
class DisjointRoutes {
 public:
  DisjointRoutes(const Group& group, const Topology& topology)
      : group_(group), topology_(topology), joined_(static_cast<std::uint32_t>(group.size())) {
    graph_.ranks = static_cast<std::uint32_t>(group.size());
    taken_.resize(topology.links());
    if (const KnowsLinks* const known = links_of(topology))
      for (std::size_t link = 0; link < taken_.size(); ++link) taken_[link] = known->has_failed(link);
  }

  bool joins(std::uint32_t a, std::uint32_t b) { return joined_.joins(a, b); }
  bool is_whole() const { return joined_.is_whole(); }

  bool take(std::uint32_t a, std::uint32_t b) {
    std::vector<std::size_t> route = topology_.route(group_[a], group_[b]);
    topology_.append_route(group_[b], group_[a], route);
    if (std::any_of(route.begin(), route.end(), [&](std::size_t link) { return taken_[link]; })) return false;
    for (const std::size_t link : route) taken_[link] = true;
    graph_.links.push_back({a, b, topology_.path_bytes_per_s(group_[a], group_[b])});
    graph_.links.push_back({b, a, topology_.path_bytes_per_s(group_[b], group_[a])});
    joined_.join(a, b);
    return true;
  }

  RankGraph graph() {
    std::sort(graph_.links.begin(), graph_.links.end());
    return std::move(graph_);
  }

 private:
  const Group& group_;
  const Topology& topology_;
  JoinedRanks joined_;
  std::vector<bool> taken_;  // by link of the fabric
  RankGraph graph_;
};

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

std::optional<RankGraph> direct_links(const Group& group, const Topology& topology) {
  if (group.size() < 2) return {};
  const auto ranks = static_cast<std::uint32_t>(group.size());
  const bool has_routes = links_of(topology) != nullptr && ranks <= kLargestGroupWithRoutes;
  using Pair = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // hops, ranks
  std::vector<Pair> farther;
  DisjointRoutes routes(group, topology);
  for (std::uint32_t a = 0; a < ranks; ++a)
    for (std::uint32_t b = a + 1; b < ranks; ++b) {
      const std::uint32_t hops =
          std::max(topology.hops(group[a], group[b]), topology.hops(group[b], group[a]));
      if (hops == 1)
        routes.take(a, b);
      else if (has_routes && hops <= kLongestRoute)
        farther.emplace_back(hops, a, b);
    }
  std::sort(farther.begin(), farther.end());
  for (const bool all : {false, true})  // first what holds the group together
    for (const auto& [hops, a, b] : farther)
      if (all || routes.joins(a, b)) routes.take(a, b);
  if (!routes.is_whole()) return {};
  return routes.graph();
}

}  // namespace wafertlm
