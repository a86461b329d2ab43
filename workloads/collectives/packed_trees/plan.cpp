// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/plan.h"

#include <algorithm>

#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/fabric_loads.h"
#include "workloads/collectives/packed_trees/shared_routes.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kMaxChunks = 4096;

struct KeptTrees : Kept<std::pair<Group, TreeUse>, PackedTrees> {
  KeptTrees() : Kept(8) {}
};

/// What a collective takes with each packing, as the links' schedules say.
class PackedTreesTimes {
 public:
  PackedTreesTimes(const CollectiveRequest& request, const FabricTraits& fabric);

  const std::shared_ptr<PackedTrees>& trees() const { return trees_; }
  /// Bytes of the vector that each tree of a packing has, at most.
  std::uint64_t share(std::size_t packing) const {
    const TreePacking& of = trees_->packings()[packing];
    if (of.trees_per_block == 0) return Blocks(request_.bytes, of.trees.size()).bytes(0);
    return Blocks(Blocks(request_.bytes, ranks_of(request_)).bytes(0), of.trees_per_block).bytes(0);
  }
  std::shared_ptr<const LinkSchedule> schedule(std::size_t packing, std::uint32_t chunks) const {
    return trees_->schedule(packing, lag(link_times(share(packing), chunks)));
  }
  TimePs time_ps(std::size_t packing, std::uint32_t chunks) const {
    const ChunkTimes times = link_times(share(packing), chunks);
    return std::max(trees_->schedule(packing, lag(times))->end_ps(filled(packing, chunks), times),
                    memory_busy_ps(packing));
  }
  /// time_ps is not below it; much faster.
  TimePs least_ps(std::size_t packing, std::uint32_t chunks) const {
    const ChunkTimes times = link_times(share(packing), chunks);
    return filled(packing, chunks) * trees_->schedule(packing, lag(times))->busiest_ps(times);
  }

 private:
  std::uint64_t filled(std::size_t packing, std::uint32_t chunks) const {
    return std::max<std::uint64_t>(1, std::min<std::uint64_t>(chunks, share(packing)));
  }
  ChunkTimes link_times(std::uint64_t share, std::uint32_t chunks) const;
  std::uint32_t lag(const ChunkTimes& times) const;
  TimePs memory_busy_ps(std::size_t packing) const;

  const CollectiveRequest& request_;
  const FabricTraits& fabric_;
  std::shared_ptr<PackedTrees> trees_;
  std::vector<TimePs> link_latency_ps_;
  LimitingPorts ports_;
};

PackedTreesTimes::PackedTreesTimes(const CollectiveRequest& request, const FabricTraits& fabric)
    : request_(request), fabric_(fabric), trees_(PackedTrees::of(request, fabric)) {
  for (const RankGraph::Link& link : trees_->graph().links)  // the step's cost is part of its slot
    link_latency_ps_.push_back(fabric.latency_ps(request.group[link.from], request.group[link.to]) -
                               fabric.step_cost_ps);
  std::vector<std::uint64_t> out, in;
  for (const NpuId npu : request.group) {
    out.push_back(fabric.topology->npu_sends_bytes_per_s(npu));
    in.push_back(fabric.topology->npu_receives_bytes_per_s(npu));
  }
  ports_ = limiting_ports(trees_->graph().links, out, in);
}

ChunkTimes PackedTreesTimes::link_times(std::uint64_t share, std::uint32_t chunks) const {
  const std::uint64_t bytes = Blocks(share, chunks).bytes(0);
  const bool reduces = trees_->use().up;
  const TimePs reduction_ps = !reduces || fabric_.reduction_bytes_per_s == 0
                                  ? 0
                                  : transfer_time_ps(3 * bytes, fabric_.reduction_bytes_per_s);
  const TimePs received_ps = fabric_.memory.receive_ps(bytes, reduces) + reduction_ps;
  ChunkTimes times;
  for (std::size_t link = 0; link < link_latency_ps_.size(); ++link) {
    const TimePs sent_ps = message_ps(fabric_, bytes, trees_->graph().links[link].bytes_per_s) +
                           fabric_.step_cost_ps + fabric_.memory.send_ps(bytes);
    times.slot_ps.push_back(std::max({TimePs{1}, sent_ps, fabric_.receive_cost_ps + received_ps}));
    times.latency_ps.push_back(link_latency_ps_[link] + received_ps);
  }
  for (const std::uint64_t rate : ports_.out) times.out_ps.push_back(port_ps(fabric_, bytes, rate));
  for (const std::uint64_t rate : ports_.in) times.in_ps.push_back(port_ps(fabric_, bytes, rate));
  return times;
}

/// In slots of the fastest link, by the longest latency; a power of two above 4: schedules for about the same
/// lag are as good.
std::uint32_t PackedTreesTimes::lag(const ChunkTimes& times) const {
  const TimePs slot = *std::min_element(times.slot_ps.begin(), times.slot_ps.end()),
               latency = *std::max_element(times.latency_ps.begin(), times.latency_ps.end());
  const TimePs slots = 1 + (latency + slot - 1) / slot;
  std::uint32_t lag = 4;
  while (lag < slots) lag *= 2;
  return slots < 4 ? static_cast<std::uint32_t>(slots) : lag;
}

/// Of the busiest NPU.
TimePs PackedTreesTimes::memory_busy_ps(std::size_t packing) const {
  const std::uint64_t bytes = share(packing);
  const TreeUse& use = trees_->use();
  TimePs longest = 0;
  for (std::uint32_t rank = 0; rank < ranks_of(request_) && !fabric_.memory.is_free(); ++rank) {
    std::uint64_t children = 0, parents = 0;
    for (const Tree& tree : trees_->packings()[packing].trees) {
      children += tree.children(rank).size();
      parents += tree.is_root(rank) ? 0 : 1;
    }
    const std::uint64_t up = use.up ? 1 : 0, down = use.down ? 1 : 0;
    const std::uint64_t sent = (down * children + up * parents) * bytes,
                        received = (up * children + down * parents) * bytes, added = up * children * bytes;
    longest = std::max(longest, fabric_.memory.busy_ps(sent + 2 * added, received));
  }
  return longest;
}

}  // namespace

PackedTrees::PackedTrees(RankGraph graph, const TreeUse& use)
    : graph_(std::move(graph)), use_(use), packings_(packings_of(graph_, use)) {}

std::shared_ptr<const LinkSchedule> PackedTrees::schedule(std::size_t packing, std::uint32_t lag) {
  auto& kept = schedules_[{packing, lag}];
  // In ticks, of which a slot of the fastest link may be several.
  const std::vector<std::uint32_t>& slots = packings_[packing].slots;
  const std::uint32_t ticks =
      LinkSchedule::period_of(packings_[packing]) / *std::max_element(slots.begin(), slots.end());
  if (!kept)
    kept = std::make_shared<const LinkSchedule>(graph_, packings_[packing], (lag - 1) * ticks + 1, use_.up,
                                                use_.down);
  return kept;
}

std::shared_ptr<PackedTrees> PackedTrees::of(const CollectiveRequest& request, const FabricTraits& fabric) {
  const TreeUse use = tree_use(request.type, request.root).value();
  return fabric.plans->of<KeptTrees>().get({request.group, use}, [&] {
    auto graph = direct_links(request.group, fabric);
    return PackedTrees(graph ? std::move(*graph) : shared_routes(request.group, fabric, use), use);
  });
}

BufferPiece PackedTreesPlan::piece(std::uint32_t tree, std::uint32_t chunk) const {
  const std::uint32_t per_block = packing->trees_per_block;
  if (per_block == 0) {
    const Blocks pieces(bytes, packing->trees.size() * chunks);
    const std::uint64_t number = std::uint64_t{tree} * chunks + chunk;
    return {pieces.offset(number), pieces.bytes(number)};
  }
  const Blocks blocks(bytes, packing->trees.size() / per_block);
  const std::uint32_t block = tree / per_block;
  const Blocks pieces(blocks.bytes(block), std::uint64_t{per_block} * chunks);
  const std::uint64_t number = std::uint64_t{tree % per_block} * chunks + chunk;
  return {blocks.offset(block) + pieces.offset(number), pieces.bytes(number)};
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
  const auto is_short = [](TimePs time, TimePs shortest) { return time <= shortest + shortest / 100; };
  std::vector<std::pair<std::uint64_t, TimePs>> tried;
  TimePs shortest = kNever / 2;
  // Those with many trees come last, and are the fastest of large vectors.
  for (std::size_t number = times.trees()->packings().size(); number-- > 0;) {
    const std::uint64_t share = times.share(number);
    TimePs least = kNever;
    for (std::uint64_t quarters = std::max<std::uint64_t>(1, share / quarter / kMaxChunks);; quarters *= 2) {
      const std::uint64_t count =
          std::max<std::uint64_t>(1, (share + quarters * quarter - 1) / (quarters * quarter));
      if (count > kMaxChunks) continue;
      const auto chunks = static_cast<std::uint32_t>(count);
      TimePs time = times.least_ps(number, chunks);
      if (is_short(time, shortest)) {
        time = times.time_ps(number, chunks);
        least = std::min(least, time);
        tried.emplace_back(chunks, time);
      }
      if (chunks == 1 || (least != kNever && time > least + least / 4)) break;  // pipelines only fill slower
    }
    shortest = std::min(shortest, least);
  }
  std::uint64_t fewest = kMaxChunks;
  for (const auto& [chunks, time] : tried)
    if (is_short(time, shortest)) fewest = std::min(fewest, chunks);
  return static_cast<std::uint32_t>(fewest);
}

}  // namespace wafertlm
