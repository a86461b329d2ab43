// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/bounds/tight_sets.h"

#include <algorithm>
#include <array>

#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/cuts/concurrent_flow.h"
#include "workloads/collectives/cuts/cuts.h"
#include "workloads/collectives/cuts/undirected.h"

namespace wafertlm::bounds {
namespace {

/// `backwards`: of a graph with its links turned round.
TightSets sets_of(const DirectedCut& cut, const LinkGraph& graph, bool backwards) {
  TightSets sets;
  for (const bool inside : cut.inside) sets.part_of.push_back(inside == backwards ? 1 : 0);
  for (std::size_t link = 0; link < graph.links.size(); ++link)
    if (sets.part_of[graph.links[link].from] == 0 && sets.part_of[graph.links[link].to] == 1) {
      sets.links.push_back(link);
      sets.bytes_per_s += graph.links[link].bytes_per_s;
    }
  return sets;
}

TightSets partition_of(const LinkGraph& graph, const Terminals& terminals) {
  const Undirected whole = undirected(graph, terminals.members);
  const Strength tight = strength(whole.graph);
  TightSets sets;
  sets.kind = TightSets::Kind::partition;
  sets.parts = tight.parts;
  for (const std::uint32_t vertex : whole.vertex_of) sets.part_of.push_back(tight.part_of[vertex]);
  for (std::size_t link = 0; link < graph.links.size(); ++link) {
    const std::uint32_t from = sets.part_of[graph.links[link].from], to = sets.part_of[graph.links[link].to];
    if (from == to) continue;
    sets.links.push_back(link);
    sets.has_relays = sets.has_relays || from == TightSets::kRelay || to == TightSets::kRelay;
  }
  sets.bytes_per_s = sets.has_relays ? tight.border : tight.border / 2;
  return sets;
}

/// A vector leaves a part over one link of the border, and enters one; without relays that is the same link.
Uint128 vectors_across(const TightSets& sets) {
  return sets.kind == TightSets::Kind::cut ? 1 : Uint128{sets.has_relays ? 4U : 2U} * (sets.parts - 1);
}

TightSets all_reduce_sets(const LinkGraph& graph, const Terminals& terminals) {
  TightSets partition = partition_of(graph, terminals);
  TightSets cut = sets_of(narrowest_between(graph, terminals.members), graph, false);
  const bool cut_is_tighter = partition.bytes_per_s > vectors_across(partition) * cut.bytes_per_s;
  return cut_is_tighter ? cut : partition;
}

TightSets all_gather_sets(const LinkGraph& graph, const Terminals& terminals) {
  return sets_of(densest_cut(graph, terminals.members), graph, false);
}

TightSets reduce_scatter_sets(const LinkGraph& graph, const Terminals& terminals) {
  return sets_of(densest_cut(reversed(graph), terminals.members), graph, true);
}

TightSets all_to_all_sets(const LinkGraph& graph, const Terminals& terminals) {
  const LinkLengths tight = tightest_lengths(graph, terminals.members);
  TightSets sets;
  if (!tight.inside.empty()) {
    sets = sets_of({tight.inside}, graph, false);
  } else {
    sets.kind = TightSets::Kind::lengths;
    sets.parts = 0;
    sets.bytes_per_s = tight.weight;
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
      if (tight.lengths[link] == 0) continue;
      sets.links.push_back(link);
      sets.lengths.push_back(tight.lengths[link]);
    }
  }
  sets.pairs_distance = tight.distance;
  return sets;
}

TightSets broadcast_sets(const LinkGraph& graph, const Terminals& terminals) {
  return sets_of(narrowest_from(graph, terminals.root, terminals.members), graph, false);
}

TightSets reduce_sets(const LinkGraph& graph, const Terminals& terminals) {
  return sets_of(narrowest_from(reversed(graph), terminals.root, terminals.members), graph, true);
}

Uint128 vectors(const CollectiveRequest& request, const TightSets& sets) {
  return vectors_across(sets) * request.bytes;
}

Uint128 blocks_in(const CollectiveRequest& request, const TightSets& sets, std::uint32_t part) {
  const Blocks blocks(request.bytes, request.group.size());
  Uint128 bytes = 0;
  for (std::size_t rank = 0; rank < request.group.size(); ++rank)
    if (sets.part_of[index_of(request.group[rank])] == part) bytes += blocks.bytes(rank);
  return bytes;
}

Uint128 blocks_out(const CollectiveRequest& request, const TightSets& sets) {
  return blocks_in(request, sets, 0);
}

Uint128 blocks_into(const CollectiveRequest& request, const TightSets& sets) {
  return blocks_in(request, sets, 1);
}

/// The shortest block of every pair.
Uint128 blocks_of_pairs(const CollectiveRequest& request, const TightSets& sets) {
  return sets.pairs_distance * Blocks(request.bytes, request.group.size()).bytes(request.group.size() - 1);
}

constexpr std::array kRules{BoundRule{CollectiveType::all_reduce, all_reduce_sets, vectors},
                            BoundRule{CollectiveType::all_gather, all_gather_sets, blocks_out},
                            BoundRule{CollectiveType::reduce_scatter, reduce_scatter_sets, blocks_into},
                            BoundRule{CollectiveType::all_to_all, all_to_all_sets, blocks_of_pairs},
                            BoundRule{CollectiveType::broadcast, broadcast_sets, vectors},
                            BoundRule{CollectiveType::reduce, reduce_sets, vectors}};

}  // namespace

const BoundRule* bound_rule(CollectiveType type) {
  const auto rule =
      std::find_if(kRules.begin(), kRules.end(), [&](const BoundRule& of) { return of.type == type; });
  return rule == kRules.end() ? nullptr : &*rule;
}

}  // namespace wafertlm::bounds
