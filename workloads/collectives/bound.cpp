// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/quickest_ways.h"
#include "workloads/synthesis/bounds/tight_bound.h"

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

/// One of the collectives that run at the same time, with what it must move.
struct Demand {
  Demand(CollectiveRequest asked, std::uint64_t bytes)
      : request(with_bytes(std::move(asked), bytes)),
        blocks(bytes, request.group.size()),
        needs(needs_of(request, blocks)) {}

  bool sums() const {
    return request.type == CollectiveType::all_reduce || request.type == CollectiveType::barrier;
  }
  static CollectiveRequest with_bytes(CollectiveRequest request, std::uint64_t bytes) {
    request.bytes = bytes;
    return request;
  }

  CollectiveRequest request;
  Blocks blocks;
  Needs needs;
};

/// None: nothing has to move.
std::optional<Demand> demand_of(const CollectiveRequest& request) {
  const std::uint64_t bytes = request.type == CollectiveType::barrier ? kBarrierBytes : request.bytes;
  if (request.group.size() < 2 || bytes == 0) return std::nullopt;
  return Demand(request, bytes);
}

/// Bytes over each cut of a family, in the family's order.
struct CutBytes {
  std::vector<Uint128> out, in;
};

void add_cut_bytes(const Demand& demand, const CutFamily& family, CutBytes& bytes) {
  const CollectiveRequest& request = demand.request;
  std::vector<CutSide> parts(family.rates.size() + 1);
  CutSide all, before;
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank) {
    const CutSide own{1, demand.blocks.bytes(rank), rank == request.root};
    parts[family.part_of[index_of(request.group[rank])]].add(own);
    all.add(own);
  }
  for (std::size_t cut = 0; cut < family.rates.size(); ++cut) {
    before.add(parts[cut]);
    const CutSide& inside = family.kind == CutFamily::Kind::prefixes ? before : parts[cut];
    const CutSide outside = all.without(inside);
    bytes.out[cut] += across(request, demand.needs.across, inside, outside);
    bytes.in[cut] += across(request, demand.needs.across, outside, inside);
  }
}

/// Over all cuts of a family, without latency.
TimePs cuts_ps(const std::vector<Demand>& demands, const CutFamily& family) {
  const std::size_t cuts = family.rates.size();
  CutBytes bytes{std::vector<Uint128>(cuts), std::vector<Uint128>(cuts)};
  for (const Demand& demand : demands) add_cut_bytes(demand, family, bytes);
  TimePs bound = 0;
  for (std::size_t cut = 0; cut < cuts; ++cut)
    bound = std::max({bound, at_least_ps(bytes.out[cut], family.rates[cut].out),
                      at_least_ps(bytes.in[cut], family.rates[cut].in)});
  return bound;
}

/// See CutFamily::counts_vectors; on a fabric that does not reduce.
TimePs vectors_ps(const std::vector<Demand>& demands, const CutFamily& family) {
  std::set<std::uint32_t> used_by_any;
  Uint128 bytes = 0;
  for (const Demand& demand : demands) {
    if (!demand.sums()) continue;
    std::set<std::uint32_t> used;
    for (const NpuId npu : demand.request.group) used.insert(family.part_of[index_of(npu)]);
    if (used.size() < 2) continue;
    bytes += Uint128{2 * (used.size() - 1)} * demand.request.bytes;
    used_by_any.insert(used.begin(), used.end());
  }
  if (used_by_any.empty()) return 0;
  return at_least_ps(bytes, Uint128{used_by_any.size()} * family.rates.front().out);
}

/// Over the sets of links that all-to-all cannot avoid.
TimePs crossings_ps(const std::vector<Demand>& demands, const Topology& topology) {
  std::vector<Uint128> bytes;
  std::vector<Crossings> sets;
  for (const Demand& demand : demands) {
    if (demand.needs.across != Needs::Across::every_pair) continue;
    sets = topology.all_pairs_crossings(demand.request.group);
    bytes.resize(sets.size());
    for (std::size_t set = 0; set < sets.size(); ++set)
      bytes[set] += sets[set].links * demand.blocks.bytes(demand.request.group.size() - 1);
  }
  TimePs bound = 0;
  for (std::size_t set = 0; set < sets.size(); ++set)
    bound = std::max(bound, at_least_ps(bytes[set], sets[set].bytes_per_s));
  return bound;
}

/// Without reduction on the way every value but one is sent towards the sum, and all but one receive it: all
/// ports of the members together.
TimePs sums_ps(const std::vector<Demand>& demands, const Topology& topology) {
  std::set<NpuId> members;
  Uint128 bytes = 0, sends = 0, receives = 0;
  for (const Demand& demand : demands) {
    if (!demand.sums()) continue;
    bytes += Uint128{2 * (demand.request.group.size() - 1)} * demand.request.bytes;
    members.insert(demand.request.group.begin(), demand.request.group.end());
  }
  for (const NpuId npu : members) {
    sends += topology.npu_sends_bytes_per_s(npu);
    receives += topology.npu_receives_bytes_per_s(npu);
  }
  return at_least_ps(bytes, std::min(sends, receives));
}

/// Of the tightest cut or partition of all links, in groups for which it is found in a tenth of a second.
TimePs sets_ps(const Demand& demand, const FabricTraits& fabric) {
  constexpr std::size_t kMaxMembers = 256;
  if (demand.request.group.size() > kMaxMembers) return 0;
  const auto tight = bounds::tight_bound(demand.request, fabric.topology);
  return tight ? tight->time_ps : 0;
}

/// What an NPU's port takes for that.
TimePs port_ps(Uint128 sends, Uint128 receives, NpuId npu, const Topology& topology) {
  return std::max(at_least_ps(sends, topology.npu_sends_bytes_per_s(npu)),
                  at_least_ps(receives, topology.npu_receives_bytes_per_s(npu)));
}

/// What each NPU has to send and receive.
TimePs ports_ps(const std::vector<Demand>& demands, const Topology& topology) {
  std::map<NpuId, std::pair<Uint128, Uint128>> of_npu;
  for (const Demand& demand : demands)
    for (std::size_t rank = 0; rank < demand.request.group.size(); ++rank) {
      auto& [sends, receives] = of_npu[demand.request.group[rank]];
      sends += demand.needs.sends[rank];
      receives += demand.needs.receives[rank];
    }
  TimePs bound = 0;
  for (const auto& [npu, moves] : of_npu)
    bound = std::max(bound, port_ps(moves.first, moves.second, npu, topology));
  return bound;
}

}  // namespace

TimePs bound_ps(const CollectiveRequest& given, const FabricTraits& fabric) {
  const std::optional<Demand> demand = demand_of(given);
  if (!demand) return 0;
  const CollectiveRequest& request = demand->request;
  const Topology& topology = *fabric.topology;
  const bool by_root = has_root(request.type);
  const auto distances = topology.distances(request.group);
  const std::vector<TimePs> ways = by_root ? quickest_ways_ps(request, fabric) : std::vector<TimePs>();
  TimePs bound = 0, nearest = kNever, farthest = 0;
  for (std::uint32_t rank = 0; rank < request.group.size(); ++rank) {
    const NpuId npu = request.group[rank];
    const TimePs from_nearest = fabric.message_cost_ps() + distances->nearest_ps(npu),
                 to_farthest = fabric.message_cost_ps() + distances->farthest_ps(npu);
    nearest = std::min(nearest, from_nearest);
    farthest = std::max(farthest, to_farthest);
    const std::uint64_t sends = demand->needs.sends[rank], receives = demand->needs.receives[rank];
    if (sends == 0 && receives == 0) continue;
    // The first byte comes from the root, or the nearest one, at best; the last follows as fast as the port
    // lets it.
    const bool other_end = !ways.empty() && rank != request.root;
    const TimePs head = other_end ? ways[rank] : from_nearest;
    bound = std::max(bound, head + port_ps(sends, receives, npu, topology));
    // Who has data for all, or needs data of all, waits for the farthest.
    if (!by_root && demand->blocks.bytes(rank) != 0) bound = std::max(bound, to_farthest);
  }
  const std::vector<Demand> one{*demand};
  const bool adds_at_ends = demand->sums() && !fabric.in_network;
  if (demand->sums()) bound = std::max(bound, farthest);
  if (adds_at_ends) bound = std::max(bound, nearest + sums_ps(one, topology));
  bound = std::max({bound, crossings_ps(one, topology), sets_ps(*demand, fabric)});
  for (const CutFamily& family : topology.cuts()) {
    TimePs cut = cuts_ps(one, family);
    if (adds_at_ends && family.counts_vectors) cut = std::max(cut, vectors_ps(one, family));
    if (cut != 0) bound = std::max(bound, family.adds_latency ? nearest + cut : cut);
  }
  return bound;
}

TimePs joint_bound_ps(const std::vector<CollectiveRequest>& requests, const FabricTraits& fabric) {
  std::vector<Demand> demands;
  TimePs bound = 0;
  for (const CollectiveRequest& request : requests) {
    bound = std::max(bound, bound_ps(request, fabric));
    if (std::optional<Demand> demand = demand_of(request)) demands.push_back(std::move(*demand));
  }
  const Topology& topology = *fabric.topology;
  bound = std::max({bound, ports_ps(demands, topology), crossings_ps(demands, topology)});
  if (!fabric.in_network) bound = std::max(bound, sums_ps(demands, topology));
  for (const CutFamily& family : topology.cuts()) {
    bound = std::max(bound, cuts_ps(demands, family));
    if (family.counts_vectors && !fabric.in_network) bound = std::max(bound, vectors_ps(demands, family));
  }
  return bound;
}

}  // namespace wafertlm
