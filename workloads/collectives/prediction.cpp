// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/halving_doubling.h"
#include "workloads/collectives/hierarchical.h"
#include "workloads/collectives/in_network_cost.h"
#include "workloads/collectives/link_loads.h"
#include "workloads/collectives/shape.h"
#include "workloads/collectives/tree.h"

namespace wafertlm {
namespace {

TimePs message_ps(const FabricTraits& fabric, std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return bytes == 0 ? 0 : transfer_time_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
}

std::uint64_t slowest_npu(const CollectiveRequest& request, const FabricTraits& fabric) {
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const NpuId npu : request.group) slowest = std::min(slowest, fabric.npu_bytes_per_s(npu));
  return slowest;
}

/// The slowest of all paths that messages of an algorithm take.
class SlowestPath {
 public:
  explicit SlowestPath(const FabricTraits& fabric) : fabric_(fabric) {}
  void add(NpuId from, NpuId to) { rate_ = std::min(rate_, fabric_.path_bytes_per_s(from, to)); }
  std::uint64_t bytes_per_s() const { return rate_; }

 private:
  const FabricTraits& fabric_;
  std::uint64_t rate_ = ~std::uint64_t{0};
};

/// A ring step waits for the one before at the rank before it, so after K steps the latencies of K
/// consecutive ring edges have added up, and K blocks have been sent one after the other. With chunks the
/// link stays busy while a chunk is under way, if there are enough of them.
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::vector<std::uint32_t> order = ring_order(request.group, fabric);
  const auto p = static_cast<std::uint64_t>(order.size());
  const std::uint64_t steps = (request.type == CollectiveType::all_reduce ? 2 : 1) * (p - 1);
  const std::uint64_t directions = request.algorithm == "ring" ? 1 : 2;
  const std::uint64_t block = Blocks(request.bytes, p).bytes(0);
  const std::uint64_t chunk = Blocks(Blocks(block, directions).bytes(0), request.chunks).bytes(0);

  LinkLoads loads(fabric);
  SlowestPath slowest(fabric);
  std::vector<TimePs> latency(p);
  TimePs longest = 0, once_round = 0;
  // Whole blocks of the shortest length: no more than the steps below count.
  const std::uint64_t passed = Blocks(request.bytes, p).bytes(p - 1) * steps;
  for (std::uint64_t i = 0; i < p; ++i) {
    const NpuId from = request.group[order[i]], to = request.group[order[(i + 1) % p]];
    latency[i] = fabric.latency_ps(from, to);
    longest = std::max(longest, latency[i]);
    once_round += latency[i];
    slowest.add(from, to);
    loads.add(from, to, passed - (directions - 1) * (passed / 2));
    if (directions == 2) loads.add(to, from, passed / 2);
  }
  TimePs path = 0;
  for (std::uint64_t start = 0; start < p; ++start) {
    TimePs sum = steps / p * once_round;
    for (std::uint64_t k = 0; k < steps % p; ++k) sum += latency[(start + k) % p];
    path = std::max(path, sum);
  }
  const std::uint64_t rate =
      std::min(slowest.bytes_per_s(),
               std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s) / directions);
  const TimePs chunk_ps = message_ps(fabric, chunk, rate);
  return std::max({path + (steps + request.chunks - 1) * chunk_ps,
                   longest + steps * request.chunks * chunk_ps, loads.busiest_ps()});
}

/// All messages at once, through the ports of the busiest rank and over the busiest link; all-reduce does it
/// twice.
TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  const Blocks blocks(request.bytes, p);
  const bool vectors = request.type == CollectiveType::broadcast || request.type == CollectiveType::reduce;
  const std::uint64_t bytes = vectors ? request.bytes : blocks.bytes(0);
  LinkLoads loads(fabric);
  SlowestPath slowest(fabric);
  TimePs longest = 0;
  const auto flow = [&](std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    slowest.add(request.group[from], request.group[to]);
    longest = std::max(longest, fabric.latency_ps(request.group[from], request.group[to]));
    loads.add(request.group[from], request.group[to], vectors ? request.bytes : blocks.bytes(p - 1));
  };
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  for (std::uint32_t a = 0; a < p; ++a) {
    if (has_root(request.type))
      flow(to_root ? a : request.root, to_root ? request.root : a);
    else
      for (std::uint32_t b = 0; b < p; ++b) flow(a, b);
  }
  const std::uint64_t ports = has_root(request.type) ? fabric.npu_bytes_per_s(request.group[request.root])
                                                     : slowest_npu(request, fabric);
  const std::uint64_t wire = fabric.format.message_wire_bytes(bytes);
  const TimePs once = std::max({longest + message_ps(fabric, bytes, slowest.bytes_per_s()),
                                longest + transfer_time_ps((p - 1) * wire, ports), loads.busiest_ps()});
  return (request.type == CollectiveType::all_reduce ? 2 : 1) * once;
}

/// Rate of a ring step of all NPUs along a dimension, and the latency of a phase of n of them.
struct Dimension {
  std::uint64_t bytes_per_s;
  TimePs latency_ps;
};

Dimension dimension_of(bool rows, const GroupGrid& grid, const FabricTraits& fabric) {
  const std::uint64_t n = rows ? grid.width : grid.height;
  const std::uint64_t ports = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  if (fabric.is_mesh())
    return {std::min(fabric.link_bytes_per_s, ports),
            (n - 1) * fabric.ends_latency_ps + (2 * n - 3) * fabric.hop_latency_ps};
  const FredTraits& fred = fabric.fred;
  if (rows) return {ports, (n - 1) * fred.turn_latency_ps.front()};
  // All members on an L1 switch send up at once; the ring leaves and enters an L2 switch once for each.
  std::uint64_t rate = std::min(ports, fred.l1_uplink_bytes_per_s / grid.width);
  if (fred.l2_switches > 1) rate = std::min(rate, fred.l2_uplink_bytes_per_s / grid.width);
  return {rate, (n - 1) * fred.turn_latency_ps.back()};
}

/// The first chunk passes the phases; then every chunk takes the time of the dimension that has more to
/// carry, or the latency of its rings, or in a tree of switches what the port takes for both.
TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupGrid grid = *grid_of(request.group, fabric);
  const HierarchicalPlan plan(request.type, grid.width, grid.height, grid.at, request.bytes, request.chunks,
                              grid.parts);
  const std::uint64_t share = plan.share_of_part_0(request.bytes);
  const std::uint64_t ports = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const std::uint64_t passes = request.type == CollectiveType::all_reduce ? 2 : 1;
  TimePs first = 0, rows = 0, columns = 0, port = 0, longest = 0;
  for (std::uint32_t part = 0; part < grid.parts; ++part) {
    const std::uint64_t bytes = part == 0 ? share : request.bytes - share;
    TimePs through = 0;
    for (const bool second : {false, true}) {
      const std::uint64_t n = plan.side(part, second);
      const bool along_rows = (part == 0) != second;
      const Dimension dimension = dimension_of(along_rows, grid, fabric);
      // One ring step of one chunk; 1/n of what the phase works on.
      const std::uint64_t block =
          std::max<std::uint64_t>(bytes / request.chunks / (second ? plan.side(part, false) : 1) / n, 1);
      const TimePs busy = passes * (n - 1) * message_ps(fabric, block, dimension.bytes_per_s);
      through += busy + passes * dimension.latency_ps;
      longest = std::max(longest, dimension.latency_ps);
      (along_rows ? rows : columns) += busy;
      if (!fabric.is_mesh()) port += passes * (n - 1) * message_ps(fabric, block, ports);
    }
    first = std::max(first, through);
  }
  return first + (request.chunks - 1) * std::max({rows, columns, port, longest});
}

/// Round after round, each as long as its longest exchange or its busiest link.
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  auto plan = std::make_shared<const HalvingPlan>(request.type, p, request.bytes);
  std::vector<HalvingProgram> programs;
  for (std::uint32_t rank = 0; rank < p; ++rank) programs.emplace_back(plan, rank);
  // Fold in, exchanges, fold out: what each rank sends in them.
  const std::uint32_t exchanges = programs[0].steps(0) - (plan->has_folded(0) ? 1 : 0);
  TimePs time = 0;
  const auto round = [&](auto send_of) {
    LinkLoads loads(fabric);
    TimePs longest = 0;
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      const Step send = send_of(rank);
      if (send.bytes == 0) continue;
      const NpuId from = request.group[rank], to = request.group[send.peer];
      loads.add(from, to, send.bytes);
      longest = std::max(longest, fabric.latency_ps(from, to) +
                                      message_ps(fabric, send.bytes, fabric.path_bytes_per_s(from, to)));
    }
    time += std::max(longest, loads.busiest_ps());
  };
  round([&](std::uint32_t rank) { return plan->folded_out(rank) ? programs[rank].step(0, 0) : Step(); });
  for (std::uint32_t index = 0; index < exchanges; ++index)
    round(
        [&](std::uint32_t rank) { return plan->folded_out(rank) ? Step() : programs[rank].step(0, index); });
  round([&](std::uint32_t rank) {
    return plan->has_folded(rank) ? programs[rank].step(0, exchanges) : Step();
  });
  return time;
}

/// Sum of the latencies of the edges between every rank and the root.
std::vector<TimePs> latencies_to_root(const Tree& tree, const CollectiveRequest& request,
                                      const FabricTraits& fabric, bool up) {
  std::vector<TimePs> sums(tree.ranks(), 0);
  for (const std::uint32_t rank : tree.preorder()) {
    if (tree.is_root(rank)) continue;
    const NpuId own = request.group[rank], parent = request.group[tree.parent(rank)];
    sums[rank] =
        sums[tree.parent(rank)] + (up ? fabric.latency_ps(own, parent) : fabric.latency_ps(parent, own));
  }
  return sums;
}

/// Chunks one after the other through the deepest way: its latencies, a chunk per level, and the others
/// behind.
TimePs tree_ps(const std::vector<Tree>& trees, const CollectiveRequest& request, const FabricTraits& fabric,
               bool up, bool down) {
  const Blocks shares(request.bytes, trees.size());
  LinkLoads loads(fabric);
  SlowestPath slowest(fabric);
  for (const Tree& tree : trees)
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
      if (!tree.is_root(rank)) slowest.add(request.group[rank], request.group[tree.parent(rank)]);
  std::vector<std::uint64_t> sent(request.group.size(), 0);
  TimePs longest = 0;
  for (std::size_t number = 0; number < trees.size(); ++number) {
    const Tree& tree = trees[number];
    const std::uint64_t share = shares.bytes(number);
    TimePs path = 0;
    std::uint64_t levels = 0;
    for (const bool upwards : {true, false}) {
      if (!(upwards ? up : down)) continue;
      const std::vector<TimePs> latency = latencies_to_root(tree, request, fabric, upwards);
      std::uint64_t deepest = 0;
      for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
        deepest = std::max<std::uint64_t>(deepest, tree.depth(rank));
        if (tree.is_root(rank)) continue;
        const std::uint32_t from = upwards ? rank : tree.parent(rank),
                            to = upwards ? tree.parent(rank) : rank;
        loads.add(request.group[from], request.group[to], share);
        sent[from] += share;
      }
      path += *std::max_element(latency.begin(), latency.end());
      levels += deepest;
    }
    const std::uint64_t chunk = Blocks(share, request.chunks).bytes(0);
    const std::uint64_t filled = std::min<std::uint64_t>(request.chunks, share);
    if (chunk != 0)
      longest =
          std::max(longest, path + (levels + filled - 1) * message_ps(fabric, chunk, slowest.bytes_per_s()));
  }
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    longest = std::max(longest, transfer_time_ps(sent[rank], fabric.npu_bytes_per_s(request.group[rank])));
  return std::max(longest, loads.busiest_ps());
}

/// Blocks one after the other: the last of a subtree leaves its top when all have, and hops on.
TimePs tree_blocks_ps(const Tree& tree, const CollectiveRequest& request, const FabricTraits& fabric,
                      bool up) {
  const Blocks blocks(request.bytes, tree.ranks());
  SlowestPath slowest(fabric);
  for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
    if (!tree.is_root(rank)) slowest.add(request.group[rank], request.group[tree.parent(rank)]);
  const TimePs block = message_ps(fabric, blocks.bytes(0), slowest.bytes_per_s());
  const std::vector<TimePs> latency = latencies_to_root(tree, request, fabric, up);
  LinkLoads loads(fabric);
  TimePs longest = 0;
  for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
    if (tree.is_root(rank)) continue;
    const NpuId own = request.group[rank], parent = request.group[tree.parent(rank)];
    loads.add(up ? own : parent, up ? parent : own, tree.size(rank) * blocks.bytes(tree.ranks() - 1));
    longest = std::max(longest, latency[rank] + (tree.size(rank) + tree.depth(rank) - 1) * block);
  }
  return std::max(longest, loads.busiest_ps());
}

}  // namespace

TimePs predicted_ps(const CollectiveRequest& given, const FabricTraits& fabric) {
  CollectiveRequest request = given;
  const CollectiveType type = request.type;
  if (type == CollectiveType::barrier) request.bytes = kBarrierBytes;
  if (request.group.size() < 2 || request.bytes == 0) return 0;
  if (request.algorithm == "in_network") return in_network_ps(request, fabric);
  if (request.algorithm == "hierarchical_2d") return hierarchical_ps(request, fabric);
  if (request.algorithm == "direct") return direct_ps(request, fabric);
  if (request.algorithm == "halving_doubling") return halving_ps(request, fabric);
  if (request.algorithm == "double_binary_tree")
    return tree_ps(double_binary_trees(ring_order(request.group, fabric)), request, fabric, true, true);
  if (request.algorithm != "tree") return ring_ps(request, fabric);
  const bool up = type == CollectiveType::reduce || type == CollectiveType::gather;
  const bool both = !has_root(type);
  const Tree tree =
      neighbour_tree(request.group, fabric, both ? centre_rank(request.group, fabric) : request.root);
  if (type == CollectiveType::gather || type == CollectiveType::scatter)
    return tree_blocks_ps(tree, request, fabric, up);
  std::vector<Tree> trees;
  trees.push_back(tree);
  return tree_ps(trees, request, fabric, up || both, !up);
}

}  // namespace wafertlm
