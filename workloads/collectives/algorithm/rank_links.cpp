// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/rank_links.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tlm/shape/link_graph.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"

namespace wafertlm {
namespace {

/// Of larger groups only neighbours are looked at.
constexpr std::size_t kLargestGroupWithRoutes = 256;
/// Longer routes cost more latency than another link brings.
constexpr std::uint32_t kLongestRoute = 16;

/// Ranks that are joined, as sets.
class JoinedRanks {
 public:
  explicit JoinedRanks(std::uint32_t ranks) : part_(ranks) { std::iota(part_.begin(), part_.end(), 0U); }
  bool joins(std::uint32_t a, std::uint32_t b) { return top(a) != top(b); }
  void join(std::uint32_t a, std::uint32_t b) { part_[top(a)] = top(b); }

 private:
  std::uint32_t top(std::uint32_t rank) {
    while (part_[rank] != rank) rank = part_[rank] = part_[part_[rank]];
    return rank;
  }
  std::vector<std::uint32_t> part_;
};

/// Takes routes as long as they are free.
class DisjointRoutes {
 public:
  DisjointRoutes(const Group& group, const FabricTraits& fabric)
      : group_(group),
        fabric_(fabric),
        topology_(*fabric.topology),
        known_(links_of(topology_)),
        joined_(ranks()) {
    taken_.resize(topology_.links());
    if (known_)
      for (std::size_t link = 0; link < taken_.size(); ++link) taken_[link] = known_->has_failed(link);
  }

  bool joins(std::uint32_t a, std::uint32_t b) { return joined_.joins(a, b); }
  void take_both_ways(std::uint32_t a, std::uint32_t b) {
    std::vector<std::size_t> routes = topology_.route(group_[a], group_[b]);
    topology_.append_route(group_[b], group_[a], routes);
    if (!occupy(routes)) return;
    add(a, b);
    add(b, a);
    joined_.join(a, b);
  }
  void take_one_way(std::uint32_t from, std::uint32_t to) {
    for (const std::size_t link : topology_.route(group_[to], group_[from]))
      if (known_ && known_->has_failed(link)) return;  // answers come back
    if (occupy(topology_.route(group_[from], group_[to]))) add(from, to);
  }

  RankLinks links();

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(group_.size()); }
  bool occupy(const std::vector<std::size_t>& route) {
    if (route.empty() ||
        std::any_of(route.begin(), route.end(), [&](std::size_t link) { return taken_[link]; }))
      return false;
    for (const std::size_t link : route) taken_[link] = true;
    return true;
  }
  void add(std::uint32_t from, std::uint32_t to) {
    links_.push_back({from, to, topology_.path_bytes_per_s(group_[from], group_[to]),
                      fabric_.latency_ps(group_[from], group_[to]) - fabric_.step_cost_ps});
  }

  const Group& group_;
  const FabricTraits& fabric_;
  const Topology& topology_;
  const KnowsLinks* known_;
  JoinedRanks joined_;
  std::vector<bool> taken_;  // by link of the fabric
  std::vector<RankLinks::Link> links_;
};

RankLinks DisjointRoutes::links() {
  RankLinks graph;
  graph.ranks = ranks();
  graph.links = std::move(links_);
  std::sort(graph.links.begin(), graph.links.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  graph.out.resize(graph.ranks);
  graph.in.resize(graph.ranks);
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    graph.out[graph.links[link].from].push_back(link);
    graph.in[graph.links[link].to].push_back(link);
  }
  for (const NpuId npu : group_) {
    graph.ports_out.push_back(topology_.npu_sends_bytes_per_s(npu));
    graph.ports_in.push_back(topology_.npu_receives_bytes_per_s(npu));
  }
  return graph;
}

/// By rank those behind it to or from which a route has one link, ascending. Requires that they are known.
std::vector<std::vector<std::uint32_t>> neighbors_behind(const Group& group, const Topology& topology) {
  const auto ranks = static_cast<std::uint32_t>(group.size());
  std::vector<std::uint32_t> rank_of(topology.npus(), ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) rank_of[index_of(group[rank])] = rank;
  std::vector<std::vector<std::uint32_t>> behind(ranks);
  for (std::uint32_t a = 0; a < ranks; ++a) {
    const auto neighbors = topology.neighbors(group[a]);
    for (const NpuId npu : *neighbors)
      if (const std::uint32_t b = rank_of[index_of(npu)]; b > a && b < ranks) behind[a].push_back(b);
    std::sort(behind[a].begin(), behind[a].end());
    behind[a].erase(std::unique(behind[a].begin(), behind[a].end()), behind[a].end());
  }
  return behind;
}

RankLinks find_links(const Group& group, const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  const auto ranks = static_cast<std::uint32_t>(group.size());
  const bool has_routes = ranks <= kLargestGroupWithRoutes;
  struct RankPair {
    std::uint32_t there, back, a, b;  // hops each way, ranks
    std::uint32_t longest() const { return std::max(there, back); }
  };
  std::vector<RankPair> pairs;
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    const RankPair pair{topology.hops(group[a], group[b]), topology.hops(group[b], group[a]), a, b};
    if (pair.there == 1 || pair.back == 1 || has_routes) pairs.push_back(pair);
  };
  if (has_routes || !topology.neighbors(group.front())) {
    for (std::uint32_t a = 0; a < ranks; ++a)
      for (std::uint32_t b = a + 1; b < ranks; ++b) add(a, b);
  } else {
    const auto behind = neighbors_behind(group, topology);
    for (std::uint32_t a = 0; a < ranks; ++a)
      for (const std::uint32_t b : behind[a]) add(a, b);
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RankPair& a, const RankPair& b) { return a.longest() < b.longest(); });
  DisjointRoutes routes(group, fabric);
  for (const RankPair& pair : pairs)
    if (pair.longest() == 1) routes.take_both_ways(pair.a, pair.b);
  for (const RankPair& pair : pairs) {
    if (pair.there == 1) routes.take_one_way(pair.a, pair.b);
    if (pair.back == 1) routes.take_one_way(pair.b, pair.a);
  }
  for (const bool all : {false, true})  // first what holds the group together
    for (const RankPair& pair : pairs)
      if (pair.longest() > 1 && pair.longest() <= kLongestRoute && has_routes &&
          (all || routes.joins(pair.a, pair.b)))
        routes.take_both_ways(pair.a, pair.b);
  for (const RankPair& pair : pairs) {
    if (!has_routes) break;
    if (pair.there <= kLongestRoute) routes.take_one_way(pair.a, pair.b);
    if (pair.back <= kLongestRoute) routes.take_one_way(pair.b, pair.a);
  }
  return routes.links();
}

bool reaches_all(const RankLinks& graph, bool forwards) {
  std::vector<bool> reached(graph.ranks, false);
  std::vector<std::uint32_t> order = {0};
  reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::uint32_t link : (forwards ? graph.out : graph.in)[order[next]]) {
      const std::uint32_t rank = forwards ? graph.links[link].to : graph.links[link].from;
      if (reached[rank]) continue;
      reached[rank] = true;
      order.push_back(rank);
    }
  return order.size() == graph.ranks;
}

struct KeptRankLinks : Kept<Group, RankLinks> {
  KeptRankLinks() : Kept(8) {}
};

TimePs reduction_ps(const FabricTraits& fabric, std::uint64_t bytes) {
  return fabric.reduction_bytes_per_s == 0 ? 0 : transfer_time_ps(3 * bytes, fabric.reduction_bytes_per_s);
}

TimePs taken_ps(const FabricTraits& fabric, std::uint64_t bytes, bool reduces) {
  return fabric.memory.receive_ps(bytes, reduces) + (reduces ? reduction_ps(fabric, bytes) : 0);
}

}  // namespace

std::shared_ptr<const RankLinks> rank_links(const Group& group, const FabricTraits& fabric) {
  if (group.size() < 2) return nullptr;
  auto links = fabric.plans->of<KeptRankLinks>().get(group, [&] { return find_links(group, fabric); });
  if (!reaches_all(*links, true) || !reaches_all(*links, false)) return nullptr;
  return links;
}

TimePs slot_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces) {
  const TimePs sent =
      message_ps(fabric, bytes, link.bytes_per_s) + fabric.step_cost_ps + fabric.memory.send_ps(bytes);
  return std::max({TimePs{1}, sent, fabric.receive_cost_ps + taken_ps(fabric, bytes, reduces)});
}

TimePs hop_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces) {
  return message_ps(fabric, bytes, link.bytes_per_s) + fabric.step_cost_ps + fabric.memory.send_ps(bytes) +
         link.latency_ps + taken_ps(fabric, bytes, reduces);
}

}  // namespace wafertlm
