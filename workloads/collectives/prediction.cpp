// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/custom/cost.h"
#include "workloads/collectives/dimensional/program.h"
#include "workloads/collectives/direct.h"
#include "workloads/collectives/halving_doubling.h"
#include "workloads/collectives/hierarchical_cost.h"
#include "workloads/collectives/in_network_cost.h"
#include "workloads/collectives/shape.h"
#include "workloads/collectives/tree.h"

namespace wafertlm {
namespace {

TimePs message_ps(const FabricTraits& fabric, std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return bytes == 0 ? 0 : transfer_time_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
}

/// A message that was there before its step: all of it, not only its last chunk, is taken in then.
TimePs receive_early_ps(const MemoryTraits& memory, std::uint64_t bytes, bool reduces) {
  if (memory.is_free() || bytes == 0) return 0;
  const std::uint64_t before = (bytes - 1) / memory.chunk_bytes * memory.chunk_bytes;
  return memory.receive_ps(bytes, reduces) + memory.busy_ps(reduces ? 2 * before : 0, before);
}

std::uint64_t slowest_npu(const CollectiveRequest& request, const FabricTraits& fabric) {
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const NpuId npu : request.group) slowest = std::min(slowest, fabric.topology->npu_bytes_per_s(npu));
  return slowest;
}

/// The slowest of all paths that messages of an algorithm take.
class SlowestPath {
 public:
  explicit SlowestPath(const FabricTraits& fabric) : fabric_(fabric) {}
  void add(NpuId from, NpuId to) { rate_ = std::min(rate_, fabric_.topology->path_bytes_per_s(from, to)); }
  std::uint64_t bytes_per_s() const { return rate_; }

 private:
  const FabricTraits& fabric_;
  std::uint64_t rate_ = ~std::uint64_t{0};
};

/// A ring step waits for the one before at the rank before it, so after K steps the latencies of K
/// consecutive ring edges have added up, and K blocks have been sent one after the other. With chunks the
/// link stays busy while a chunk is under way, if there are enough of them.
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::vector<std::uint32_t> order = fabric.topology->ring_order(request.group);
  const auto p = static_cast<std::uint64_t>(order.size());
  const std::uint64_t steps = (request.type == CollectiveType::all_reduce ? 2 : 1) * (p - 1);
  const std::uint64_t directions = request.algorithm == "ring" ? 1 : 2;
  const std::uint64_t block = Blocks(request.bytes, p).bytes(0);
  const std::uint64_t chunk = Blocks(Blocks(block, directions).bytes(0), request.chunks).bytes(0);

  const auto loads = fabric.topology->link_loads();
  SlowestPath slowest(fabric);
  std::vector<TimePs> latency(p);
  TimePs longest = 0, once_round = 0;
  // Whole blocks of the shortest length: no more than the steps below count.
  const std::uint64_t passed = Blocks(request.bytes, p).bytes(p - 1) * steps;
  const bool reduces = request.type != CollectiveType::all_gather;
  const bool gathers = request.type != CollectiveType::reduce_scatter;
  // All-reduce reduces in one half of its steps and copies in the other: no step is as long as the longer.
  const TimePs memory =
      fabric.memory.send_ps(chunk) +
      (fabric.memory.receive_ps(chunk, reduces) + fabric.memory.receive_ps(chunk, reduces && !gathers)) / 2;
  for (std::uint64_t i = 0; i < p; ++i) {
    const NpuId from = request.group[order[i]], to = request.group[order[(i + 1) % p]];
    latency[i] = fabric.latency_ps(from, to) + memory;
    longest = std::max(longest, latency[i]);
    once_round += latency[i];
    slowest.add(from, to);
    loads->add(from, to, passed - (directions - 1) * (passed / 2));
    if (directions == 2) loads->add(to, from, passed / 2);
  }
  // The worst of all windows of steps mod p edges, and the whole rounds.
  TimePs window = 0;
  for (std::uint64_t k = 0; k < steps % p; ++k) window += latency[k];
  TimePs path = window;
  for (std::uint64_t start = 0; start + 1 < p; ++start) {
    window += latency[(start + steps % p) % p] - latency[start];
    path = std::max(path, window);
  }
  path += steps / p * once_round;
  // Both directions of a pair run over the same link.
  const std::uint64_t rate =
      std::min(slowest.bytes_per_s() / (p == 2 ? directions : 1), fabric.port_bytes_per_s() / directions);
  const TimePs chunk_ps = message_ps(fabric, chunk, rate);
  // A strand's next chunk waits for the costs of the one before.
  const TimePs pace = std::max(chunk_ps + fabric.step_cost_ps + fabric.memory.send_ps(chunk),
                               fabric.receive_cost_ps + fabric.memory.receive_ps(chunk, reduces));
  return std::max({path + steps * chunk_ps + (request.chunks - 1) * pace,
                   longest + steps * request.chunks * chunk_ps, loads->busiest_ps()});
}

/// All messages at once, through the ports of the busiest rank and over the busiest link; all-reduce does it
/// twice. What is reduced is added in one strand, one message after the other.
TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  const Blocks blocks(request.bytes, p);
  const bool vectors = request.type == CollectiveType::broadcast || request.type == CollectiveType::reduce;
  const std::uint64_t bytes = vectors ? request.bytes : blocks.bytes(0);
  const auto loads = fabric.topology->link_loads();
  const std::uint64_t load = vectors ? request.bytes : blocks.bytes(p - 1);
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  AllPairs pairs{0, ~std::uint64_t{0}};
  if (has_root(request.type)) {
    const NpuId root = request.group[request.root];
    for (const NpuId npu : request.group) {
      if (npu == root) continue;
      const NpuId from = to_root ? npu : root, to = to_root ? root : npu;
      pairs.bytes_per_s = std::min(pairs.bytes_per_s, fabric.topology->path_bytes_per_s(from, to));
      pairs.head_ps = std::max(pairs.head_ps, fabric.topology->head_latency_ps(from, to));
      loads->add(from, to, load);
    }
  } else {
    pairs = fabric.topology->all_pairs(request.group);
    loads->add_all_pairs(request.group, load);
  }
  const TimePs longest = fabric.message_cost_ps() + pairs.head_ps, busiest = loads->busiest_ps();
  const std::uint64_t ports = has_root(request.type)
                                  ? fabric.topology->npu_bytes_per_s(request.group[request.root])
                                  : slowest_npu(request, fabric);
  const std::uint64_t wire = fabric.format.message_wire_bytes(bytes);
  const TimePs through =
      std::max({message_ps(fabric, bytes, pairs.bytes_per_s), transfer_time_ps((p - 1) * wire, ports)});
  // Messages that a strand sends or receives one after the other, and their costs.
  const auto phase = [&](bool reduces) {
    const bool one_each = has_root(request.type);
    const std::uint64_t lanes = reduces ? 1 : std::min(p - 1, DirectProgram::kWindow);
    const std::uint64_t in_lane = (p - 2 + lanes) / lanes;
    const TimePs sent = fabric.step_cost_ps + fabric.memory.send_ps(bytes),
                 taken = fabric.receive_cost_ps + receive_early_ps(fabric.memory, bytes, reduces);
    const std::uint64_t sends =
        one_each && to_root ? 1 : (p - 2 + DirectProgram::kWindow) / DirectProgram::kWindow;
    const std::uint64_t receives = one_each && !to_root ? 1 : in_lane;
    const TimePs memories = fabric.memory.send_ps(bytes) + fabric.memory.receive_ps(bytes, reduces);
    return std::max(std::max(longest + through, busiest) + memories + (receives - 1) * taken, sends * sent);
  };
  switch (request.type) {
    case CollectiveType::all_reduce:
      return phase(true) + phase(false);
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce:
      return phase(true);
    default:
      return phase(false);
  }
}

/// Round after round; a rank sends when it has what came in the round before, and not before its last
/// message has left. No round is shorter than its busiest link.
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  auto plan = std::make_shared<const HalvingPlan>(request.type, p, request.bytes);
  std::vector<HalvingProgram> programs;
  for (std::uint32_t rank = 0; rank < p; ++rank) programs.emplace_back(plan, rank);
  // Fold in, exchanges, fold out: what each rank sends in them.
  const std::uint32_t exchanges = programs[0].steps(0) - (plan->has_folded(0) ? 1 : 0);
  std::vector<TimePs> ready(p, 0);  // has received what it sends next, and sent what it had
  const auto round = [&](auto send_of, bool reduces) {
    const auto loads = fabric.topology->link_loads();
    std::vector<TimePs> next = ready;
    TimePs memories = 0;
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      const Step send = send_of(rank);
      if (send.bytes == 0) continue;
      const NpuId from = request.group[rank], to = request.group[send.peer];
      loads->add(from, to, send.bytes);
      const TimePs bytes = message_ps(fabric, send.bytes, fabric.topology->path_bytes_per_s(from, to)) +
                           fabric.memory.send_ps(send.bytes);
      memories = std::max(memories,
                          fabric.memory.send_ps(send.bytes) + fabric.memory.receive_ps(send.bytes, reduces));
      next[rank] = std::max(next[rank], ready[rank] + fabric.step_cost_ps + bytes);
      next[send.peer] = std::max(next[send.peer], ready[rank] + fabric.latency_ps(from, to) + bytes +
                                                      fabric.memory.receive_ps(send.bytes, reduces));
    }
    // Who shares a link with others is as late as they are.
    const TimePs first = *std::min_element(ready.begin(), ready.end()),
                 busiest = loads->busiest_ps() + memories;
    ready = std::move(next);
    const TimePs last = *std::max_element(ready.begin(), ready.end());
    if (first + busiest > last)
      for (TimePs& at : ready) at += first + busiest - last;
  };
  const bool scatters = request.type != CollectiveType::all_gather;
  round([&](std::uint32_t rank) { return plan->folded_out(rank) ? programs[rank].step(0, 0) : Step(); },
        scatters);
  for (std::uint32_t index = 0; index < exchanges; ++index)
    round([&](std::uint32_t rank) { return plan->folded_out(rank) ? Step() : programs[rank].step(0, index); },
          scatters && index < plan->rounds);
  round(
      [&](std::uint32_t rank) { return plan->has_folded(rank) ? programs[rank].step(0, exchanges) : Step(); },
      false);
  return *std::max_element(ready.begin(), ready.end());
}

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

/// From message to message of a strand: the next one waits for the costs of the one before.
TimePs strand_pace(const FabricTraits& fabric, std::uint64_t bytes, TimePs bytes_ps, bool reduces) {
  return std::max(bytes_ps + fabric.step_cost_ps + fabric.memory.send_ps(bytes),
                  fabric.receive_cost_ps + fabric.memory.receive_ps(bytes, reduces));
}

/// Chunks one after the other through the deepest way: its latencies, a chunk per level, and the others
/// behind.
TimePs tree_ps(const std::vector<Tree>& trees, const CollectiveRequest& request, const FabricTraits& fabric,
               bool up, bool down) {
  const Blocks shares(request.bytes, trees.size());
  const auto loads = fabric.topology->link_loads();
  SlowestPath slowest(fabric);
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
      longest = std::max(longest,
                         path + levels * chunk_ps + (filled - 1) * strand_pace(fabric, chunk, chunk_ps, up));
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
  SlowestPath slowest(fabric);
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

/// What the memory of a rank is busy for when it sends and receives every block once (all-reduce: twice), as
/// all but trees do.
TimePs memory_busy_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::uint64_t p = request.group.size(), moved = request.bytes / p * (p - 1);
  switch (request.type) {
    case CollectiveType::all_reduce:
      return fabric.memory.busy_ps(4 * moved, 2 * moved);
    case CollectiveType::reduce_scatter:
      return fabric.memory.busy_ps(3 * moved, moved);
    case CollectiveType::all_gather:
    case CollectiveType::all_to_all:
      return fabric.memory.busy_ps(moved, moved);
    case CollectiveType::broadcast:
      return fabric.memory.busy_ps((p - 1) * request.bytes, request.bytes);
    case CollectiveType::reduce:
      return fabric.memory.busy_ps(2 * (p - 1) * request.bytes, (p - 1) * request.bytes);
    case CollectiveType::gather:
    case CollectiveType::scatter:
    case CollectiveType::barrier:
      break;
  }
  return fabric.memory.busy_ps(moved, moved);
}

TimePs closed_form_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const CollectiveType type = request.type;
  if (request.custom) return custom_ps(request, fabric);
  if (request.algorithm == "dimensional") return dimensional_ps(request, fabric);
  if (request.algorithm == "in_network") return in_network_ps(request, fabric);
  if (request.algorithm == "hierarchical_2d") return hierarchical_ps(request, fabric);
  if (request.algorithm == "direct") return direct_ps(request, fabric);
  if (request.algorithm == "halving_doubling") return halving_ps(request, fabric);
  if (request.algorithm == "double_binary_tree")
    return tree_ps(double_binary_trees(fabric.topology->ring_order(request.group)), request, fabric, true,
                   true);
  if (request.algorithm != "tree") return ring_ps(request, fabric);
  const bool up = type == CollectiveType::reduce || type == CollectiveType::gather;
  const bool both = !has_root(type);
  const std::uint32_t root = both ? centre_rank(request.group, *fabric.topology) : request.root;
  const Tree tree(fabric.topology->spanning_parents(request.group, root));
  if (type == CollectiveType::gather || type == CollectiveType::scatter)
    return tree_blocks_ps(tree, request, fabric, up);
  std::vector<Tree> trees;
  trees.push_back(tree);
  return tree_ps(trees, request, fabric, up || both, !up);
}

}  // namespace

TimePs predicted_ps(const CollectiveRequest& given, const FabricTraits& fabric) {
  CollectiveRequest request = given;
  if (request.type == CollectiveType::barrier) request.bytes = kBarrierBytes;
  if (request.group.size() < 2 || request.bytes == 0) return 0;
  const bool trees = request.algorithm == "tree" || request.algorithm == "double_binary_tree";
  return std::max(closed_form_ps(request, fabric),
                  trees || request.custom ? 0 : memory_busy_ps(request, fabric));
}

}  // namespace wafertlm
