// SPDX-License-Identifier: Apache-2.0
// one_ring, one_direct and one_halving_doubling: all ranks in the group's order as one logical dimension,
// whatever the dimensions of the fabric that their messages cross.
#include <algorithm>
#include <numeric>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/fabric_loads.h"
#include "workloads/collectives/dimensional/program.h"

namespace wafertlm {
namespace {

GroupBox one_axis(const CollectiveRequest& request) {
  GroupBox box;
  box.axes.push_back({0, ranks_of(request), 1, true});
  box.rank_at.resize(ranks_of(request));
  std::iota(box.rank_at.begin(), box.rank_at.end(), 0U);
  box.position = box.rank_at;
  return box;
}

ChunkStage::Kind kind_of(CollectiveType type) {
  using Kind = ChunkStage::Kind;
  return type == CollectiveType::all_reduce       ? Kind::all_reduce
         : type == CollectiveType::all_gather     ? Kind::all_gather
         : type == CollectiveType::reduce_scatter ? Kind::reduce_scatter
                                                  : Kind::all_to_all;
}

ChunkStage stage_of(const CollectiveRequest& request, DimensionAlgorithm algorithm) {
  ChunkStage stage{kind_of(request.type), 0, algorithm, 0, 0};
  if (stage.kind == ChunkStage::Kind::all_gather) stage.scattered = 1;
  stage.sent_bytes = sent_by_each(stage, request.bytes / request.chunks, ranks_of(request));
  return stage;
}

/// The messages of a round: from rank to rank, and how much.
struct Round {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> messages;
  std::uint64_t bytes = 0;
};

/// Of a chunk alone, and what the busiest link or port takes for those behind it.
struct ChunkTime {
  TimePs alone = 0, others = 0;
};

/// Of a round in which nobody waits for an earlier one: the slowest message, or the busiest link.
ChunkTime round_ps(const Round& round, const CollectiveRequest& request, const FabricTraits& fabric) {
  FabricLoads loads(fabric), all(fabric);
  TimePs longest = 0;
  const std::uint64_t wire = fabric.format.message_wire_bytes(round.bytes);
  for (const auto& [sender, receiver] : round.messages) {
    const NpuId from = request.group[sender], to = request.group[receiver];
    loads.add(from, to, wire);
    all.add(from, to, request.chunks * wire);
    longest =
        std::max(longest, fabric.latency_ps(from, to) +
                              message_ps(fabric, round.bytes, fabric.topology->path_bytes_per_s(from, to)));
  }
  return {std::max(longest, loads.busiest_ps() + fabric.message_cost_ps()),
          all.busiest_ps() - loads.busiest_ps()};
}

/// A message waits for the one before it only: `rounds` messages one after the other, along the ring.
ChunkTime ring_path_ps(std::uint64_t rounds, std::uint64_t bytes, const CollectiveRequest& request,
                       const FabricTraits& fabric) {
  const std::size_t p = request.group.size();
  std::vector<TimePs> hop(p);
  TimePs busiest = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const NpuId from = request.group[i], to = request.group[(i + 1) % p];
    const TimePs busy = message_ps(fabric, bytes, fabric.topology->path_bytes_per_s(from, to));
    hop[i] = fabric.latency_ps(from, to) + busy;
    busiest = std::max(busiest, busy);
  }
  TimePs window =
      std::accumulate(hop.begin(), hop.begin() + static_cast<std::ptrdiff_t>(rounds % p), TimePs{0});
  TimePs worst = window;
  for (std::size_t start = 0; start + 1 < p; ++start) {
    window += hop[(start + rounds % p) % p] - hop[start];
    worst = std::max(worst, window);
  }
  const TimePs path = worst + rounds / p * std::accumulate(hop.begin(), hop.end(), TimePs{0});
  return {std::max(path, *std::max_element(hop.begin(), hop.end()) + (rounds - 1) * busiest),
          rounds * (request.chunks - 1) * busiest};
}

ChunkTime rounds_ps(const ChunkStage& stage, const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::uint32_t p = ranks_of(request);
  const std::uint64_t chunk = std::max<std::uint64_t>(request.bytes / request.chunks, 1);
  const std::uint64_t part = std::max<std::uint64_t>(chunk / p, 1);
  const std::uint64_t ways = stage.kind == ChunkStage::Kind::all_reduce ? 2 : 1;
  if (stage.algorithm == DimensionAlgorithm::ring)
    return ring_path_ps(ways * rounds_one_way(stage, p), part, request, fabric);
  const std::uint32_t turns = turns_one_way(stage, p, fabric.hierarchy.direct_window);
  if (stage.algorithm == DimensionAlgorithm::direct && turns == 1) {
    FabricLoads loads(fabric), all(fabric);
    const std::uint64_t wire = fabric.format.message_wire_bytes(part);
    loads.add_all_pairs(request.group, wire);
    all.add_all_pairs(request.group, request.chunks * wire);
    const auto distances = fabric.topology->distances(request.group);
    TimePs farthest = 0;
    for (const NpuId npu : request.group) farthest = std::max(farthest, distances->farthest_ps(npu));
    return {ways * (std::max(loads.busiest_ps(), farthest) + fabric.message_cost_ps()),
            ways * (all.busiest_ps() - loads.busiest_ps())};
  }
  ChunkTime sum;
  const auto add = [&](const Round& round) {
    const ChunkTime time = round_ps(round, request, fabric);
    sum.alone += ways * time.alone;
    sum.others += ways * time.others;
  };
  if (stage.algorithm == DimensionAlgorithm::direct) {
    Round round{{}, part};
    for (std::uint32_t distance = 1; distance < p; ++distance) {
      for (std::uint32_t rank = 0; rank < p; ++rank) round.messages.emplace_back(rank, (rank + distance) % p);
      if (distance % fabric.hierarchy.direct_window != 0 && distance + 1 != p) continue;
      add(round);
      round.messages.clear();
    }
    return sum;
  }
  for (std::uint32_t distance = 1; distance < p; distance *= 2) {
    Round round{{}, std::max<std::uint64_t>(part * (p / 2 / distance), 1)};
    for (std::uint32_t rank = 0; rank < p; ++rank) round.messages.emplace_back(rank, rank ^ distance);
    add(round);
  }
  return sum;
}

}  // namespace

template <DimensionAlgorithm algorithm>
Algorithm::Programs one_group_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::vector<ChunkRoute> routes(request.chunks, {stage_of(request, algorithm)});
  StageSchedule schedule;
  schedule.order.resize(1);
  for (std::uint32_t chunk = 0; chunk < request.chunks; ++chunk) schedule.order[0].push_back({chunk, 0});
  return staged_programs(request, one_axis(request), routes, schedule, fabric);
}

template <DimensionAlgorithm algorithm>
TimePs one_group_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const ChunkStage stage = stage_of(request, algorithm);
  const ChunkTime links = rounds_ps(stage, request, fabric);
  TimePs chunk = links.alone + fabric.hierarchy.stage_cost_ps;
  if (fabric.reduction_bytes_per_s != 0)
    chunk += transfer_time_ps(3 * reduced_bytes(stage, ranks_of(request), fabric.hierarchy.reductions),
                              fabric.reduction_bytes_per_s);
  const std::uint32_t active =
      fabric.hierarchy.active_chunks == 0 ? request.chunks : fabric.hierarchy.active_chunks;
  return std::max((request.chunks + active - 1) / active * chunk, chunk + links.others);
}

template Algorithm::Programs one_group_programs<DimensionAlgorithm::ring>(const CollectiveRequest&,
                                                                          const FabricTraits&);
template Algorithm::Programs one_group_programs<DimensionAlgorithm::direct>(const CollectiveRequest&,
                                                                            const FabricTraits&);
template Algorithm::Programs one_group_programs<DimensionAlgorithm::halving_doubling>(
    const CollectiveRequest&, const FabricTraits&);
template TimePs one_group_ps<DimensionAlgorithm::ring>(const CollectiveRequest&, const FabricTraits&);
template TimePs one_group_ps<DimensionAlgorithm::direct>(const CollectiveRequest&, const FabricTraits&);
template TimePs one_group_ps<DimensionAlgorithm::halving_doubling>(const CollectiveRequest&,
                                                                   const FabricTraits&);

}  // namespace wafertlm
