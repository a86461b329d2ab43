// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/plan.h"

#include <algorithm>
#include <mutex>

#include "workloads/collectives/algorithm_parts.h"
#include "workloads/collectives/algorithm_rows.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {
namespace {

/// More trees per link shorten no collective: their rate is within 1/64 of the best.
constexpr std::uint32_t kMaxTreesPerLink = 64;
constexpr std::uint32_t kMaxChunks = 4096;
constexpr std::size_t kKeptGraphs = 8;

/// What a chunk costs on the way.
struct ChunkTimes {
  TimePs slot_ps;     ///< from chunk to chunk of a link
  TimePs latency_ps;  ///< from the end of its slot until it may go on
};

ChunkTimes chunk_times(const CollectiveRequest& request, const FabricTraits& fabric, const RankGraph& graph,
                       std::uint64_t bytes) {
  ChunkTimes times{1, 0};
  for (const auto& [a, b] : graph.links)
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
      times.latency_ps =
          std::max(times.latency_ps, fabric.latency_ps(request.group[from], request.group[to]));
  const auto& [a, b] = graph.links.front();
  const TimePs reduction_ps =
      fabric.reduction_bytes_per_s == 0 ? 0 : transfer_time_ps(3 * bytes, fabric.reduction_bytes_per_s);
  const TimePs received_ps = fabric.memory.receive_ps(bytes, true) + reduction_ps;
  times.slot_ps = std::max(
      {times.slot_ps,
       message_ps(fabric, bytes, fabric.topology->path_bytes_per_s(request.group[a], request.group[b])) +
           fabric.step_cost_ps + fabric.memory.send_ps(bytes),
       fabric.receive_cost_ps + received_ps});
  times.latency_ps += received_ps;
  return times;
}

/// What the busiest NPU sends and adds up.
TimePs npu_busy_ps(const CollectiveRequest& request, const FabricTraits& fabric, const TreePacking& packing) {
  const std::uint64_t share = Blocks(request.bytes, packing.trees.size()).bytes(0);
  TimePs longest = 0;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank) {
    std::uint64_t neighbours = 0, children = 0, parents = 0;
    for (const Tree& tree : packing.trees) {
      children += tree.children(rank).size();
      parents += tree.is_root(rank) ? 0 : 1;
    }
    neighbours = children + parents;
    longest = std::max(
        {longest, transfer_time_ps(neighbours * share, fabric.topology->npu_bytes_per_s(request.group[rank])),
         fabric.memory.busy_ps((neighbours + 2 * children) * share, neighbours * share)});
  }
  return longest;
}

}  // namespace

PackedTrees::PackedTrees(const RankGraph& graph) : bound_{} {
  TreePacker packer(graph);
  std::uint32_t per_link = 1;
  const auto add = [&](std::uint32_t more) { packings_.push_back(packer.pack(per_link = more)); };
  for (add(1); per_link < kMaxTreesPerLink && per_link < packer.bound().parts_less_one;)
    add(static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {2 * std::uint64_t{per_link}, kMaxTreesPerLink, packer.bound().parts_less_one})));
  bound_ = packer.bound();
}

std::shared_ptr<const LinkSchedule> PackedTrees::schedule(std::size_t packing, std::uint32_t lag) {
  auto& kept = schedules_[{packing, lag}];
  if (!kept) kept = std::make_shared<const LinkSchedule>(packings_[packing], lag, true, true);
  return kept;
}

std::shared_ptr<PackedTrees> PackedTrees::of(const RankGraph& graph) {
  thread_local std::vector<std::pair<RankGraph, std::shared_ptr<PackedTrees>>>
      kept;  // the last one used first
  const auto same = [&](const auto& each) { return !(each.first < graph) && !(graph < each.first); };
  auto found = std::find_if(kept.begin(), kept.end(), same);
  if (found == kept.end()) {
    if (kept.size() == kKeptGraphs) kept.pop_back();
    found = kept.insert(kept.end(), {graph, std::make_shared<PackedTrees>(graph)});
  }
  std::rotate(kept.begin(), found, found + 1);
  return kept.front().second;
}

PackedTreesPlan packed_trees_plan(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto graph = direct_links(request.group, *fabric.topology);
  const auto trees = PackedTrees::of(graph.value());
  PackedTreesPlan best;
  for (std::size_t number = 0; number < trees->packings().size(); ++number) {
    const TreePacking& packing = trees->packings()[number];
    const std::uint64_t share = Blocks(request.bytes, packing.trees.size()).bytes(0);
    const ChunkTimes times = chunk_times(request, fabric, *graph, Blocks(share, request.chunks).bytes(0));
    const auto lag = static_cast<std::uint32_t>(1 + (times.latency_ps + times.slot_ps - 1) / times.slot_ps);
    const auto schedule = trees->schedule(number, lag);
    const std::uint64_t filled = std::min<std::uint64_t>(request.chunks, share);
    const TimePs time = std::max(schedule->end_ps(filled, times.slot_ps, times.latency_ps),
                                 npu_busy_ps(request, fabric, packing));
    if (best.packing && best.predicted_ps <= time) continue;
    best = {trees, &packing, schedule, request.bytes, request.chunks, time};
  }
  return best;
}

std::uint32_t packed_trees_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  // A chunk of the packing with the most trees has a packet or more, but for the last.
  const std::uint64_t most = std::max<std::uint64_t>(1, request.bytes / fabric.format.packet_bytes);
  std::vector<std::pair<std::uint32_t, TimePs>> times;
  CollectiveRequest trial = request;
  TimePs shortest = kNever;
  for (std::uint32_t power = 1; power <= most && power <= kMaxChunks; power *= 2)
    for (const std::uint32_t chunks : {power, power + power / 2}) {
      trial.chunks = chunks;
      times.emplace_back(chunks, packed_trees_plan(trial, fabric).predicted_ps);
      shortest = std::min(shortest, times.back().second);
    }
  for (const auto& [chunks, time] : times)
    if (time <= shortest + shortest / 100) return chunks;
  return 1;
}

}  // namespace wafertlm
