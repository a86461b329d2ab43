// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/link_graph.h"
#include "workloads/collectives/algorithm/demand.h"
#include "workloads/collectives/bounds/joint_cut.h"
#include "workloads/collectives/bounds/tight_bound.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

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
  Uint128 bytes_per_s = 0;
  for (const std::uint32_t part : used_by_any) bytes_per_s += family.rates[part].out;
  return at_least_ps(bytes, bytes_per_s);
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
  const std::size_t most_members = demand.request.type == CollectiveType::all_to_all ? 100 : 256;
  if (demand.request.group.size() > most_members) return 0;
  const auto tight = bounds::tight_bound(demand.request, fabric);
  return tight ? tight->time_ps : 0;
}

/// What an NPU's port takes for that.
TimePs port_ps(Uint128 sends, Uint128 receives, NpuId npu, const Topology& topology) {
  return std::max(at_least_ps(sends, topology.npu_sends_bytes_per_s(npu)),
                  at_least_ps(receives, topology.npu_receives_bytes_per_s(npu)));
}

/// From the root of a collective to each NPU, or from each to the root: what a byte takes at least, which may
/// be passed on by NPUs on a way of less latency than its route (graphs). Beyond 256 NPUs on graphs the least
/// between any two.
class RootLatencies {
 public:
  RootLatencies(const CollectiveRequest& request, const FabricTraits& fabric) : fabric_(fabric) {
    const Topology& topology = *fabric.topology;
    root_ = request.group[request.root];
    is_source_ = request.type == CollectiveType::broadcast || request.type == CollectiveType::scatter;
    const bool may_be_shorter = links_of(topology) != nullptr && topology.has_one_port();
    if (!has_root(request.type) || !may_be_shorter) return;
    if (topology.npus() > 256) {
      least_.assign(topology.npus(), topology.distances(request.group)->nearest_ps(root_));
      return;
    }
    find();
  }
  TimePs ps(NpuId npu) const {
    if (least_.empty()) return is_source_ ? fabric_.latency_ps(root_, npu) : fabric_.latency_ps(npu, root_);
    return fabric_.message_cost_ps() + least_[index_of(npu)];
  }

 private:
  /// Dijkstra's algorithm, of all pairs.
  void find() {
    const Topology& topology = *fabric_.topology;
    least_.assign(topology.npus(), kNever);
    least_[index_of(root_)] = 0;
    std::vector<bool> settled(topology.npus(), false);
    for (std::uint32_t count = 0; count < topology.npus(); ++count) {
      std::uint32_t next = topology.npus();
      for (std::uint32_t npu = 0; npu < topology.npus(); ++npu)
        if (!settled[npu] && (next == topology.npus() || least_[npu] < least_[next])) next = npu;
      settled[next] = true;
      for (std::uint32_t npu = 0; npu < topology.npus(); ++npu) {
        if (settled[npu]) continue;
        const auto from = static_cast<NpuId>(is_source_ ? next : npu),
                   to = static_cast<NpuId>(is_source_ ? npu : next);
        least_[npu] = std::min(least_[npu], least_[next] + topology.head_latency_ps(from, to));
      }
    }
  }

  const FabricTraits& fabric_;
  NpuId root_{};
  bool is_source_ = false;
  std::vector<TimePs> least_;  // by NPU; empty: of the routes
};

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
  const RootLatencies from_root(request, fabric);
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
    const bool other_end = by_root && rank != request.root;
    const TimePs head = other_end ? from_root.ps(npu) : from_nearest;
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
  if (const auto joint = joint_cut(requests, fabric)) bound = std::max(bound, joint->time_ps);
  for (const CutFamily& family : topology.cuts()) {
    bound = std::max(bound, cuts_ps(demands, family));
    if (family.counts_vectors && !fabric.in_network) bound = std::max(bound, vectors_ps(demands, family));
  }
  return bound;
}

}  // namespace wafertlm
