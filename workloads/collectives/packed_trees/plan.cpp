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

/// What a collective takes with each packing, as the links' schedules say.
class PackedTreesTimes {
 public:
  PackedTreesTimes(const CollectiveRequest& request, const FabricTraits& fabric);

  const std::shared_ptr<PackedTrees>& trees() const { return trees_; }
  /// Bytes of the vector that each tree of a packing has, at most.
  std::uint64_t share(std::size_t packing) const {
    return Blocks(request_.bytes, trees_->packings()[packing].trees.size()).bytes(0);
  }
  std::shared_ptr<const LinkSchedule> schedule(std::size_t packing, std::uint32_t chunks) const {
    const ChunkTimes times = chunk_times(share(packing), chunks);
    return trees_->schedule(packing, times.lag());
  }
  TimePs time_ps(std::size_t packing, std::uint32_t chunks) const {
    const ChunkTimes times = chunk_times(share(packing), chunks);
    const std::uint64_t filled = std::max<std::uint64_t>(1, std::min<std::uint64_t>(chunks, share(packing)));
    return std::max(schedule(packing, chunks)->end_ps(filled, times.slot_ps, times.latency_ps),
                    npu_busy_ps(packing));
  }

 private:
  struct ChunkTimes {
    TimePs slot_ps;     ///< from chunk to chunk of a link
    TimePs latency_ps;  ///< from the end of its slot until it may go on

    /// A power of two above 4: schedules for about the same lag are as good.
    std::uint32_t lag() const {
      const TimePs slots = 1 + (latency_ps + slot_ps - 1) / slot_ps;
      std::uint32_t lag = 4;
      while (lag < slots) lag *= 2;
      return slots < 4 ? static_cast<std::uint32_t>(slots) : lag;
    }
  };
  ChunkTimes chunk_times(std::uint64_t share, std::uint32_t chunks) const;
  TimePs npu_busy_ps(std::size_t packing) const;

  const CollectiveRequest& request_;
  const FabricTraits& fabric_;
  std::shared_ptr<PackedTrees> trees_;
  TimePs longest_ps_ = 0;  ///< the latency between two neighbours
  std::uint64_t bytes_per_s_ = 0;
};

PackedTreesTimes::PackedTreesTimes(const CollectiveRequest& request, const FabricTraits& fabric)
    : request_(request), fabric_(fabric) {
  const RankGraph graph = direct_links(request.group, *fabric.topology).value();
  trees_ = PackedTrees::of(graph);
  for (const auto& [a, b] : graph.links) {
    const NpuId from = request.group[a], to = request.group[b];
    // The step's cost is part of its slot.
    longest_ps_ = std::max({longest_ps_, fabric.latency_ps(from, to) - fabric.step_cost_ps,
                            fabric.latency_ps(to, from) - fabric.step_cost_ps});
    bytes_per_s_ = fabric.topology->path_bytes_per_s(from, to);
  }
}

PackedTreesTimes::ChunkTimes PackedTreesTimes::chunk_times(std::uint64_t share, std::uint32_t chunks) const {
  const std::uint64_t bytes = Blocks(share, chunks).bytes(0);
  const TimePs reduction_ps =
      fabric_.reduction_bytes_per_s == 0 ? 0 : transfer_time_ps(3 * bytes, fabric_.reduction_bytes_per_s);
  const TimePs received_ps = fabric_.memory.receive_ps(bytes, true) + reduction_ps;
  const TimePs sent_ps =
      message_ps(fabric_, bytes, bytes_per_s_) + fabric_.step_cost_ps + fabric_.memory.send_ps(bytes);
  return {std::max({TimePs{1}, sent_ps, fabric_.receive_cost_ps + received_ps}), longest_ps_ + received_ps};
}

/// What the busiest NPU sends, and its memory.
TimePs PackedTreesTimes::npu_busy_ps(std::size_t packing) const {
  const std::uint64_t bytes = share(packing);
  TimePs longest = 0;
  for (std::uint32_t rank = 0; rank < ranks_of(request_); ++rank) {
    std::uint64_t children = 0, parents = 0;
    for (const Tree& tree : trees_->packings()[packing].trees) {
      children += tree.children(rank).size();
      parents += tree.is_root(rank) ? 0 : 1;
    }
    const std::uint64_t sent = (children + parents) * bytes;
    longest =
        std::max({longest, transfer_time_ps(sent, fabric_.topology->npu_bytes_per_s(request_.group[rank])),
                  fabric_.memory.busy_ps(sent + 2 * children * bytes, sent)});
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
  const PackedTreesTimes times(request, fabric);
  PackedTreesPlan best;
  best.trees = times.trees();
  best.bytes = request.bytes;
  best.chunks = request.chunks;
  best.predicted_ps = kNever;
  for (std::size_t number = 0; number < best.trees->packings().size(); ++number) {
    const TimePs time = times.time_ps(number, request.chunks);
    if (time >= best.predicted_ps) continue;
    best.packing = &best.trees->packings()[number];
    best.schedule = times.schedule(number, request.chunks);
    best.predicted_ps = time;
  }
  return best;
}

/// Chunks of whole packets, or of half a packet or a quarter: the pieces of a message that ends within a
/// packet leave the NPU's port later than it counts on.
std::uint32_t packed_trees_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  const PackedTreesTimes times(request, fabric);
  const std::uint64_t quarter = std::max<std::uint64_t>(1, fabric.format.packet_bytes / 4);
  std::vector<std::pair<std::uint64_t, TimePs>> tried;
  TimePs shortest = kNever;
  for (std::size_t number = 0; number < times.trees()->packings().size(); ++number) {
    const std::uint64_t share = times.share(number);
    TimePs least = kNever;
    for (std::uint64_t quarters = std::max<std::uint64_t>(1, share / quarter / kMaxChunks);; quarters *= 2) {
      const std::uint64_t chunks =
          std::max<std::uint64_t>(1, (share + quarters * quarter - 1) / (quarters * quarter));
      if (chunks > kMaxChunks) continue;
      tried.emplace_back(chunks, times.time_ps(number, static_cast<std::uint32_t>(chunks)));
      least = std::min(least, tried.back().second);
      if (chunks == 1 || tried.back().second > least + least / 4) break;  // pipelines only fill slower
    }
    shortest = std::min(shortest, least);
  }
  std::uint64_t fewest = kMaxChunks;
  for (const auto& [chunks, time] : tried)
    if (time <= shortest + shortest / 100) fewest = std::min(fewest, chunks);
  return static_cast<std::uint32_t>(fewest);
}

}  // namespace wafertlm
