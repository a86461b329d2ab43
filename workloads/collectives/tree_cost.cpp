// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost_parts.h"
#include "workloads/collectives/tree_program.h"

namespace wafertlm {
namespace {

/// Sum of the latencies of the edges between every rank and the root, for messages of so many bytes.
std::vector<TimePs> latencies_to_root(const Tree& tree, const CollectiveRequest& request,
                                      const FabricTraits& fabric, bool up, bool reduces,
                                      std::uint64_t message_bytes) {
  std::vector<TimePs> sums(tree.ranks(), 0);
  for (const std::uint32_t rank : tree.preorder()) {
    if (tree.is_root(rank)) continue;
    const NpuId own = request.group[rank], parent = request.group[tree.parent(rank)];
    // A parent takes its children's one after the other.
    const std::uint64_t taken = up ? tree.children(tree.parent(rank)).size() : 1;
    sums[rank] = sums[tree.parent(rank)] +
                 (up ? fabric.latency_ps(own, parent) : fabric.latency_ps(parent, own)) +
                 (taken - 1) * fabric.receive_cost_ps + fabric.memory.send_ps(message_bytes) +
                 taken * fabric.memory.receive_ps(message_bytes, up && reduces);
  }
  return sums;
}

/// From message to message of a threadblock: the next one waits for the costs of the one before.
TimePs threadblock_pace(const FabricTraits& fabric, std::uint64_t bytes, TimePs bytes_ps, bool reduces) {
  return std::max(bytes_ps + fabric.step_cost_ps + fabric.memory.send_ps(bytes),
                  fabric.receive_cost_ps + fabric.memory.receive_ps(bytes, reduces));
}

/// Chunks one after the other through the deepest way: its latencies, a chunk per level, and the others
/// behind.
TimePs vector_trees_ps(const std::vector<Tree>& trees, const CollectiveRequest& request,
                       const FabricTraits& fabric, bool up, bool down) {
  const Blocks shares(request.bytes, trees.size());
  const auto loads = fabric.topology->link_loads();
  SlowestPath slowest(*fabric.topology);
  for (const Tree& tree : trees)
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
      if (!tree.is_root(rank)) slowest.add(request.group[rank], request.group[tree.parent(rank)]);
  std::vector<std::uint64_t> sent(request.group.size(), 0), read = sent, written = sent;
  TimePs longest = 0;
  for (std::size_t number = 0; number < trees.size(); ++number) {
    const Tree& tree = trees[number];
    const std::uint64_t share = shares.bytes(number);
    TimePs path = 0;
    std::uint64_t levels = 0;
    for (const bool upwards : {true, false}) {
      if (!(upwards ? up : down)) continue;
      const std::vector<TimePs> latency =
          latencies_to_root(tree, request, fabric, upwards, true, Blocks(share, request.chunks).bytes(0));
      std::uint64_t deepest = 0;
      for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
        deepest = std::max<std::uint64_t>(deepest, tree.depth(rank));
        if (tree.is_root(rank)) continue;
        const std::uint32_t from = upwards ? rank : tree.parent(rank),
                            to = upwards ? tree.parent(rank) : rank;
        loads->add(request.group[from], request.group[to], share);
        sent[from] += share;
        read[from] += share;
        read[to] += upwards ? 2 * share : 0;
        written[to] += share;
      }
      path += *std::max_element(latency.begin(), latency.end());
      levels += deepest;
    }
    const std::uint64_t chunk = Blocks(share, request.chunks).bytes(0);
    const std::uint64_t filled = std::min<std::uint64_t>(request.chunks, share);
    if (chunk != 0) {
      const TimePs chunk_ps = message_ps(fabric, chunk, slowest.bytes_per_s());
      longest = std::max(
          longest, path + levels * chunk_ps + (filled - 1) * threadblock_pace(fabric, chunk, chunk_ps, up));
    }
  }
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    longest = std::max({longest,
                        transfer_time_ps(sent[rank], fabric.topology->npu_bytes_per_s(request.group[rank])),
                        fabric.memory.busy_ps(read[rank], written[rank])});
  return std::max(longest, loads->busiest_ps());
}

/// Block by block. Going up, a rank sends its own block and then those of its subtree in preorder, when they
/// have come; going down, the blocks of a subtree come to its top in the reverse order.
TimePs tree_blocks_ps(const Tree& tree, const CollectiveRequest& request, const FabricTraits& fabric,
                      bool up) {
  const Blocks blocks(request.bytes, tree.ranks());
  SlowestPath slowest(*fabric.topology);
  for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
    if (!tree.is_root(rank)) slowest.add(request.group[rank], request.group[tree.parent(rank)]);
  const std::uint64_t bytes = blocks.bytes(0);
  const TimePs send_ps =
      message_ps(fabric, bytes, slowest.bytes_per_s()) + fabric.step_cost_ps + fabric.memory.send_ps(bytes);
  const TimePs take_ps = fabric.receive_cost_ps + fabric.memory.receive_ps(bytes, false);
  const auto loads = fabric.topology->link_loads();
  // When the block at each position of preorder is at the top of the subtree that has been looked at.
  std::vector<TimePs> at(tree.ranks(), 0);
  TimePs last = 0;
  const auto pass_on = [&](std::uint32_t rank) {
    const NpuId own = request.group[rank], parent = request.group[tree.parent(rank)];
    loads->add(up ? own : parent, up ? parent : own, tree.size(rank) * blocks.bytes(tree.ranks() - 1));
    const TimePs latency = fabric.latency_ps(own, parent) - fabric.step_cost_ps - fabric.receive_cost_ps;
    TimePs sent = 0, taken = 0;
    for (std::uint32_t k = 0; k < tree.size(rank); ++k) {
      TimePs& block = at[tree.position(rank) + (up ? k : tree.size(rank) - 1 - k)];
      sent = std::max(sent, block) + send_ps;
      taken = std::max(taken, sent + latency) + take_ps;
      block = taken;
    }
    last = std::max(last, taken);
  };
  const auto& order = tree.preorder();
  if (up)
    for (auto rank = order.rbegin(); rank + 1 != order.rend(); ++rank) pass_on(*rank);
  else
    for (auto rank = order.begin() + 1; rank != order.end(); ++rank) pass_on(*rank);
  return std::max(last, loads->busiest_ps());
}

}  // namespace

TimePs tree_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const TreeUse use = tree_use(request, fabric);
  if (use.by_blocks) return tree_blocks_ps(use.tree, request, fabric, use.up);
  return vector_trees_ps({use.tree}, request, fabric, use.up, use.down);
}

TimePs double_tree_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  return vector_trees_ps(double_binary_trees(fabric.topology->ring_order(request.group)), request, fabric,
                         true, true);
}

}  // namespace wafertlm
