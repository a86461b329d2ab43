// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

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

  void add(const CutSide& other) {
    ranks += other.ranks;
    block_bytes += other.block_bytes;
    has_root = has_root || other.has_root;
  }
  CutSide without(const CutSide& part) const {
    return {ranks - part.ranks, block_bytes - part.block_bytes, has_root && !part.has_root};
  }
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

TimePs crossing_ps(const CollectiveRequest& request, Needs::Across how, const CutSide& inside,
                   const CutSide& outside, const CutFamily::Rate& rate) {
  return std::max(at_least_ps(across(request, how, inside, outside), rate.out),
                  at_least_ps(across(request, how, outside, inside), rate.in));
}

/// Over all cuts of a family, without latency.
TimePs cut_bound_ps(const CollectiveRequest& request, const CutFamily& family, const Blocks& blocks,
                    Needs::Across how) {
  std::vector<CutSide> parts(family.rates.size() + 1);
  CutSide all, before;
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank) {
    const CutSide own{1, blocks.bytes(rank), rank == request.root};
    parts[family.part_of[index_of(request.group[rank])]].add(own);
    all.add(own);
  }
  TimePs bound = 0;
  for (std::size_t cut = 0; cut < family.rates.size(); ++cut) {
    before.add(parts[cut]);
    const CutSide& inside = family.kind == CutFamily::Kind::prefixes ? before : parts[cut];
    bound = std::max(bound, crossing_ps(request, how, inside, all.without(inside), family.rates[cut]));
  }
  return bound;
}

/// See CutFamily::counts_vectors.
TimePs vectors_bound_ps(const CollectiveRequest& request, const CutFamily& family) {
  std::vector<bool> has_members(family.rates.size());
  std::uint64_t used = 0;
  for (const NpuId npu : request.group) {
    const std::uint32_t part = family.part_of[index_of(npu)];
    if (!has_members[part]) ++used;
    has_members[part] = true;
  }
  if (used < 2) return 0;
  return static_cast<TimePs>(Uint128{2 * (used - 1)} * request.bytes * kPsPerSecond /
                             (Uint128{used} * family.rates.front().out));
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
  const auto distances = fabric.topology->distances(request.group);
  const bool sums = request.type == CollectiveType::all_reduce || request.type == CollectiveType::barrier;
  TimePs bound = 0, nearest = kNever, farthest = 0;
  Uint128 rates = 0;
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    const NpuId npu = request.group[rank];
    const TimePs from_nearest = fabric.message_cost_ps() + distances->nearest_ps(npu),
                 to_farthest = fabric.message_cost_ps() + distances->farthest_ps(npu);
    nearest = std::min(nearest, from_nearest);
    farthest = std::max(farthest, to_farthest);
    const std::uint64_t rate = fabric.topology->npu_bytes_per_s(npu);
    rates += rate;
    const std::uint64_t most = std::max(needs.sends[rank], needs.receives[rank]);
    if (most == 0) continue;
    // The first byte comes from the root, or the nearest one, at best; the last follows as fast as the port
    // lets it.
    const bool other_end = by_root && rank != request.root;
    const TimePs head = other_end ? fabric.latency_ps(request.group[request.root], npu) : from_nearest;
    bound = std::max(bound, head + at_least_ps(most, rate));
    // Who has data for all, or needs data of all, waits for the farthest.
    if (!by_root && blocks.bytes(rank) != 0) bound = std::max(bound, to_farthest);
  }
  if (sums) {
    bound = std::max(bound, farthest);
    // Without reduction on the way every value but one is sent towards the sum, and all but one receive it.
    if (!fabric.in_network)
      bound = std::max(
          bound, nearest + static_cast<TimePs>(Uint128{2 * (p - 1)} * request.bytes * kPsPerSecond / rates));
  }
  for (const CutFamily& family : fabric.topology->cuts()) {
    TimePs cut = cut_bound_ps(request, family, blocks, needs.across);
    if (sums && family.counts_vectors && !fabric.in_network)
      cut = std::max(cut, vectors_bound_ps(request, family));
    if (cut != 0) bound = std::max(bound, family.adds_latency ? nearest + cut : cut);
  }
  return bound;
}

}  // namespace wafertlm
