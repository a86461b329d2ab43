// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/bounds/joint_cut.h"

#include <algorithm>
#include <set>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/demand.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/cuts/undirected.h"

namespace wafertlm {
namespace {

using bounds::TightBound;
using bounds::TightSets;

constexpr std::size_t kMostTried = 12;      // vertices of which all cuts are tried
constexpr std::size_t kMostVertices = 256;  // of which cuts are improved
constexpr std::size_t kMostImproved = 16;   // cuts
constexpr std::size_t kMostMembers = 100;   // of a collective whose own bound is found beside results

/// One side of the graph and what must leave it.
struct Cut {
  std::vector<bool> inside;  ///< by joined vertex
  Uint128 bytes = 0, bytes_per_s = 0;

  bool tighter(const Cut& other) const {
    return bytes_per_s != 0 &&
           (other.bytes_per_s == 0 || bytes * other.bytes_per_s > other.bytes * bytes_per_s);
  }
};

/// Cuts of a fabric on which collectives run.
class JointCuts {
 public:
  JointCuts(const LinkGraph& graph, const std::vector<Demand>& demands) : graph_(graph), demands_(demands) {
    std::set<std::uint32_t> members;
    for (const Demand& demand : demands)
      for (const NpuId npu : demand.request.group) members.insert(static_cast<std::uint32_t>(index_of(npu)));
    vertex_of_ = bounds::undirected(graph, {members.begin(), members.end()}).vertex_of;
    vertices_ = *std::max_element(vertex_of_.begin(), vertex_of_.end()) + 1;
  }

  std::size_t vertices() const { return vertices_; }
  Cut measured(std::vector<bool> inside) const {
    Cut cut{std::move(inside), 0, 0};
    for (const LinkGraph::Link& link : graph_.links)
      if (cut.inside[vertex_of_[link.from]] && !cut.inside[vertex_of_[link.to]])
        cut.bytes_per_s += link.bytes_per_s;
    for (const Demand& demand : demands_) {
      CutSide within, outside;
      for (std::uint32_t rank = 0; rank < demand.request.group.size(); ++rank) {
        const CutSide own{1, demand.blocks.bytes(rank), rank == demand.request.root};
        (cut.inside[vertex_of_[index_of(demand.request.group[rank])]] ? within : outside).add(own);
      }
      cut.bytes += across(demand.request, demand.needs.across, within, outside);
    }
    return cut;
  }
  Cut best_of_all() const {
    Cut best;
    for (std::size_t number = 1; number + 1 < std::size_t{1} << vertices_; ++number) {
      std::vector<bool> inside(vertices_);
      for (std::size_t vertex = 0; vertex < vertices_; ++vertex)
        inside[vertex] = (number >> vertex & 1U) != 0;
      if (const Cut cut = measured(std::move(inside)); cut.tighter(best)) best = cut;
    }
    return best;
  }
  /// The part of a division, and the rest.
  Cut of_part(const std::vector<std::uint32_t>& part_of, std::uint32_t part, bool turned) const {
    std::vector<bool> inside(vertices_, turned);
    for (std::size_t vertex = 0; vertex < part_of.size(); ++vertex)
      if (part_of[vertex] == part) inside[vertex_of_[vertex]] = !turned;
    return measured(std::move(inside));
  }
  /// One vertex after the other to the other side, as long as the cut gets tighter.
  Cut improved(Cut cut) const {
    for (bool better = true; better;) {
      better = false;
      for (std::size_t vertex = 0; vertex < vertices_; ++vertex) {
        std::vector<bool> inside = cut.inside;
        inside[vertex] = !inside[vertex];
        Cut other = measured(std::move(inside));
        if (!other.tighter(cut)) continue;
        cut = std::move(other);
        better = true;
      }
    }
    return cut;
  }
  TightSets sets_of(const Cut& cut) const {
    TightSets sets;
    for (const std::uint32_t vertex : vertex_of_) sets.part_of.push_back(cut.inside[vertex] ? 0 : 1);
    for (std::size_t link = 0; link < graph_.links.size(); ++link)
      if (sets.part_of[graph_.links[link].from] == 0 && sets.part_of[graph_.links[link].to] == 1)
        sets.links.push_back(link);
    sets.bytes_per_s = cut.bytes_per_s;
    return sets;
  }

 private:
  const LinkGraph& graph_;
  const std::vector<Demand>& demands_;
  std::vector<std::uint32_t> vertex_of_;
  std::size_t vertices_ = 0;
};

/// Vectors of all-reduces that a partition's links carry; see bounds::tight_bound.
Uint128 sums_across(const std::vector<Demand>& demands, const TightSets& sets) {
  Uint128 bytes = 0;
  for (const Demand& demand : demands) {
    if (!demand.sums()) continue;
    std::set<std::uint32_t> parts;
    for (const NpuId npu : demand.request.group)
      if (sets.part_of[index_of(npu)] != TightSets::kRelay) parts.insert(sets.part_of[index_of(npu)]);
    if (parts.size() > 1)
      bytes += Uint128{(sets.has_relays ? 4U : 2U) * (parts.size() - 1)} * demand.request.bytes;
  }
  return bytes;
}

}  // namespace

std::optional<TightBound> joint_cut(const std::vector<CollectiveRequest>& requests,
                                    const FabricTraits& fabric) {
  std::vector<Demand> demands;
  for (const CollectiveRequest& request : requests)
    if (auto demand = demand_of(request)) demands.push_back(std::move(*demand));
  const KnowsLinks* const links = links_of(*fabric.topology);
  if (links == nullptr || demands.size() < 2) return {};
  const auto graph = std::make_shared<const LinkGraph>(links->link_graph());
  const JointCuts cuts(*graph, demands);
  std::optional<TightBound> best;
  const auto keep = [&](const TightSets& sets, Uint128 bytes) {
    const TimePs time = at_least_ps(bytes, sets.bytes_per_s);
    if (!best || time > best->time_ps)
      best = TightBound{graph, std::make_shared<const TightSets>(sets), bytes, time};
  };
  const auto keep_cut = [&](const Cut& cut) {
    if (cut.bytes_per_s != 0) keep(cuts.sets_of(cut), cut.bytes);
  };
  const bool all = cuts.vertices() <= kMostTried, improves = cuts.vertices() <= kMostVertices;
  if (all) keep_cut(cuts.best_of_all());
  std::size_t tried = 0;
  for (const Demand& demand : demands) {
    if (tried >= kMostImproved) break;
    if (demand.request.group.size() > kMostMembers) continue;
    const auto tight = bounds::tight_bound(demand.request, fabric);
    if (!tight || tight->sets->kind == TightSets::Kind::lengths) continue;
    const TightSets& sets = *tight->sets;
    if (sets.kind == TightSets::Kind::partition) keep(sets, sums_across(demands, sets));
    for (std::uint32_t part = 0; !all && part < sets.parts && tried < kMostImproved; ++part, ++tried)
      for (const bool turned : {false, true}) {
        const Cut cut = cuts.of_part(sets.part_of, part, turned);
        keep_cut(improves ? cuts.improved(cut) : cut);
      }
  }
  return best;
}

}  // namespace wafertlm
