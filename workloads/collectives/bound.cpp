// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/shape.h"

namespace wafertlm {
namespace {

/// Rounded down: a bound.
TimePs at_least_ps(Uint128 bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(bytes * kPsPerSecond / bytes_per_s);
}

/// What a collective must move, whatever the algorithm.
struct Needs {
  std::vector<std::uint64_t> sends, receives;  ///< by rank, at least
  /// Bytes across a cut = inside blocks × ranks outside (…): how to count them.
  enum class Across { vector, blocks_of_senders, blocks_of_receivers, every_pair } across = Across::vector;
};

Needs needs_of(const CollectiveRequest& request, const Blocks& blocks) {
  const std::size_t p = request.group.size();
  const std::uint64_t all = request.bytes;
  Needs needs{std::vector<std::uint64_t>(p, 0), std::vector<std::uint64_t>(p, 0), Needs::Across::vector};
  for (std::size_t rank = 0; rank < p; ++rank) {
    const std::uint64_t own = blocks.bytes(rank);
    const bool root = has_root(request.type) && rank == request.root;
    switch (request.type) {
      case CollectiveType::all_reduce:
      case CollectiveType::barrier:
        needs.sends[rank] = needs.receives[rank] = all;
        break;
      case CollectiveType::all_gather:
        needs.sends[rank] = own;
        needs.receives[rank] = all - own;
        needs.across = Needs::Across::blocks_of_senders;
        break;
      case CollectiveType::reduce_scatter:
        needs.sends[rank] = all - own;
        needs.receives[rank] = own;
        needs.across = Needs::Across::blocks_of_receivers;
        break;
      case CollectiveType::all_to_all:
        needs.sends[rank] = all - own;
        needs.receives[rank] = (p - 1) * own;
        needs.across = Needs::Across::every_pair;
        break;
      case CollectiveType::broadcast:
        (root ? needs.sends : needs.receives)[rank] = all;
        break;
      case CollectiveType::reduce:
        (root ? needs.receives : needs.sends)[rank] = all;
        break;
      case CollectiveType::gather:
        (root ? needs.receives : needs.sends)[rank] = root ? all - own : own;
        needs.across = Needs::Across::blocks_of_senders;
        break;
      case CollectiveType::scatter:
        (root ? needs.sends : needs.receives)[rank] = root ? all - own : own;
        needs.across = Needs::Across::blocks_of_receivers;
        break;
    }
  }
  return needs;
}

/// Ranks and bytes of their blocks on one side of a cut.
struct CutSide {
  std::uint64_t ranks = 0, block_bytes = 0;
  bool has_root = false;
};

/// Bytes that must go from one side to the other.
Uint128 across(const CollectiveRequest& request, Needs::Across how, const CutSide& from, const CutSide& to) {
  if (from.ranks == 0 || to.ranks == 0) return 0;
  const bool from_root = request.type == CollectiveType::broadcast || request.type == CollectiveType::scatter;
  if (has_root(request.type) && !(from_root ? from : to).has_root) return 0;
  switch (how) {
    case Needs::Across::vector:
      return request.bytes;
    case Needs::Across::blocks_of_senders:
      return from.block_bytes;
    case Needs::Across::blocks_of_receivers:
      return to.block_bytes;
    case Needs::Across::every_pair:
      return Uint128{from.ranks} * to.block_bytes;
  }
  return 0;
}

/// Over every vertical and horizontal cut of the wafer, without latency.
TimePs cut_bound_ps(const CollectiveRequest& request, const FabricTraits& fabric, const Blocks& blocks,
                    Needs::Across how) {
  TimePs bound = 0;
  const auto over_cuts = [&](std::uint32_t size, std::uint32_t links, auto place_of) {
    std::vector<CutSide> at(size);
    CutSide left, right;
    const auto move = [](CutSide& side, const CutSide& by, bool in) {
      side.ranks = in ? side.ranks + by.ranks : side.ranks - by.ranks;
      side.block_bytes = in ? side.block_bytes + by.block_bytes : side.block_bytes - by.block_bytes;
      if (by.has_root) side.has_root = in;
    };
    for (std::uint32_t rank = 0; rank < request.group.size(); ++rank)
      move(at[place_of(request.group[rank])], {1, blocks.bytes(rank), rank == request.root}, true);
    for (const CutSide& line : at) move(right, line, true);
    for (std::uint32_t cut = 1; cut < size; ++cut) {
      move(left, at[cut - 1], true);
      move(right, at[cut - 1], false);
      const Uint128 bytes = std::max(across(request, how, left, right), across(request, how, right, left));
      bound = std::max(bound, at_least_ps(bytes, links * fabric.link_bytes_per_s));
    }
  };
  over_cuts(fabric.width, fabric.height, [&](NpuId npu) { return fabric.column(npu); });
  over_cuts(fabric.height, fabric.width, [&](NpuId npu) { return fabric.row(npu); });
  return bound;
}

/// Over the uplink of every switch of a tree, without latency. An all-reduce without reduction in switches
/// must in all bring 2(n−1) vectors across the uplinks of the n switches that have members: n−1 until the
/// first knows the sum, and then to each of the others.
TimePs uplink_bound_ps(const CollectiveRequest& request, const Blocks& blocks, Needs::Across how,
                       bool in_network, std::uint32_t switches, std::uint64_t bytes_per_s,
                       const std::function<std::uint32_t(NpuId)>& switch_of) {
  std::vector<CutSide> at(switches);
  CutSide all;
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank)
    for (CutSide* side : {&at[switch_of(request.group[rank])], &all}) {
      ++side->ranks;
      side->block_bytes += blocks.bytes(rank);
      side->has_root = side->has_root || rank == request.root;
    }
  TimePs bound = 0;
  std::uint64_t used = 0;
  for (const CutSide& inside : at) {
    if (inside.ranks == 0) continue;
    ++used;
    const CutSide outside{all.ranks - inside.ranks, all.block_bytes - inside.block_bytes, !inside.has_root};
    const Uint128 bytes =
        std::max(across(request, how, inside, outside), across(request, how, outside, inside));
    bound = std::max(bound, at_least_ps(bytes, bytes_per_s));
  }
  const bool all_reduce =
      request.type == CollectiveType::all_reduce || request.type == CollectiveType::barrier;
  if (all_reduce && used > 1 && !in_network)
    bound = std::max(bound, static_cast<TimePs>(Uint128{2 * (used - 1)} * request.bytes * kPsPerSecond /
                                                (Uint128{used} * bytes_per_s)));
  return bound;
}

TimePs tree_bound_ps(const CollectiveRequest& request, const FabricTraits& fabric, const Blocks& blocks,
                     Needs::Across how) {
  const FredTraits& fred = fabric.fred;
  const TimePs l1 = uplink_bound_ps(request, blocks, how, fabric.in_network, fred.l1_switches,
                                    fred.l1_uplink_bytes_per_s, [&](NpuId npu) { return fred.l1_of(npu); });
  if (fred.l2_switches == 1) return l1;
  return std::max(l1,
                  uplink_bound_ps(request, blocks, how, fabric.in_network, fred.l2_switches,
                                  fred.l2_uplink_bytes_per_s, [&](NpuId npu) { return fred.l2_of(npu); }));
}

/// Over the links that leave and enter each switch with the NPUs that hang on it alone, without latency.
TimePs graph_bound_ps(const CollectiveRequest& request, const FabricTraits& fabric, const Blocks& blocks,
                      Needs::Across how) {
  const FabricGraph& graph = *fabric.graph;
  std::vector<CutSide> at(graph.vertices().size());
  CutSide all;
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank)
    for (CutSide* side : {&at[graph.cluster_of(request.group[rank])], &all}) {
      ++side->ranks;
      side->block_bytes += blocks.bytes(rank);
      side->has_root = side->has_root || rank == request.root;
    }
  TimePs bound = 0;
  for (std::uint32_t vertex = 0; vertex < at.size(); ++vertex) {
    const CutSide& inside = at[vertex];
    if (inside.ranks == 0 || inside.ranks == all.ranks) continue;
    const CutSide outside{all.ranks - inside.ranks, all.block_bytes - inside.block_bytes, !inside.has_root};
    const auto [out, in] = graph.cluster_bytes_per_s(vertex);
    bound = std::max({bound, at_least_ps(across(request, how, inside, outside), out),
                      at_least_ps(across(request, how, outside, inside), in)});
  }
  return bound;
}

/// Latency from the nearest other member, and to the farthest that must hear of a rank.
struct Reach {
  TimePs nearest = kNever, farthest = 0;
};

Reach reach_of(NpuId npu, const GroupDistances& distances, const FabricTraits& fabric) {
  const auto latency = [&](std::uint32_t hops) {
    return fabric.step_cost_ps + fabric.head_latency_ps(hops) + fabric.receive_cost_ps;
  };
  return {latency(distances.nearest_hops(npu)), latency(distances.farthest_hops(npu))};
}

}  // namespace

TimePs bound_ps(const CollectiveRequest& given, const FabricTraits& fabric) {
  CollectiveRequest request = given;
  if (request.type == CollectiveType::barrier) request.bytes = kBarrierBytes;
  const std::size_t p = request.group.size();
  if (p < 2 || request.bytes == 0) return 0;
  const Blocks blocks(request.bytes, p);
  const Needs needs = needs_of(request, blocks);
  const bool by_root = has_root(request.type);
  const GroupDistances distances(request.group, fabric);
  TimePs bound = 0, nearest = kNever, farthest = 0;
  Uint128 rates = 0;
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    const Reach reach = reach_of(request.group[rank], distances, fabric);
    farthest = std::max(farthest, reach.farthest);
    const std::uint64_t rate = fabric.npu_bytes_per_s(request.group[rank]);
    nearest = std::min(nearest, reach.nearest);
    rates += rate;
    const std::uint64_t most = std::max(needs.sends[rank], needs.receives[rank]);
    if (most == 0) continue;
    // The first byte comes from the root, or the nearest one, at best; the last follows as fast as the port
    // lets it.
    const bool other_end = by_root && rank != request.root;
    const TimePs head =
        other_end ? fabric.latency_ps(request.group[request.root], request.group[rank]) : reach.nearest;
    bound = std::max(bound, head + at_least_ps(most, rate));
    // Who has data for all, or needs data of all, waits for the farthest.
    if (!by_root && blocks.bytes(rank) != 0) bound = std::max(bound, reach.farthest);
  }
  if (request.type == CollectiveType::all_reduce || request.type == CollectiveType::barrier) {
    bound = std::max(bound, farthest);
    // Without reduction on the way every value but one is sent towards the sum, and all but one receive it.
    if (!fabric.in_network)
      bound = std::max(
          bound, nearest + static_cast<TimePs>(Uint128{2 * (p - 1)} * request.bytes * kPsPerSecond / rates));
  }
  if (fabric.is_dimensional()) return bound;
  if (fabric.is_graph()) return std::max(bound, graph_bound_ps(request, fabric, blocks, needs.across));
  const TimePs cut = fabric.is_mesh() ? cut_bound_ps(request, fabric, blocks, needs.across)
                                      : tree_bound_ps(request, fabric, blocks, needs.across);
  return cut == 0 ? bound : std::max(bound, nearest + cut);
}

}  // namespace wafertlm
