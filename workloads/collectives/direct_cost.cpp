// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/cost_parts.h"
#include "workloads/collectives/direct.h"

namespace wafertlm {
namespace {

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

}  // namespace

/// All messages at once, through the ports of the busiest rank and over the busiest link; all-reduce does it
/// twice. What is reduced is added in one threadblock, one message after the other.
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
  // Messages that a threadblock sends or receives one after the other, and their costs.
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

}  // namespace wafertlm
