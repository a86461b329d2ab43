// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

/// Every rank sends what another needs straight to it. All-reduce is a reduce-scatter and then an all-gather.
/// Peers are served in the order of their distance in the group, at most kWindow at a time in each direction;
/// what is reduced is added in one threadblock, in that order. All-to-all receives behind the vector that it
/// sends; a rank's own block does not cross the fabric.
class DirectProgram : public StepSource {
 public:
  static constexpr std::uint32_t kWindow = 32;

  DirectProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes, std::uint32_t root,
                std::uint32_t rank);

  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(exchanges_.size()); }
  std::uint32_t steps(std::uint32_t threadblock) const override { return exchanges_[threadblock].steps; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  enum class Data : std::uint8_t { own_block, peers_block, vector };
  struct Exchange {
    Step::Kind kind;
    Data data;
    std::uint32_t first, stride, steps;  ///< distances of the peers
    std::uint32_t round, after;          ///< after: threadblock that must be over
  };
  void add(Step::Kind kind, Data data, std::uint32_t round, std::uint32_t after = Step::kNone);

  CollectiveType type_;
  std::uint32_t ranks_;
  std::uint64_t bytes_;
  std::uint32_t root_, rank_;
  std::vector<Exchange> exchanges_;
};

DirectProgram::DirectProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes,
                             std::uint32_t root, std::uint32_t rank)
    : type_(type), ranks_(ranks), bytes_(bytes), root_(root), rank_(rank) {
  using Kind = Step::Kind;
  switch (type) {
    case CollectiveType::all_to_all:
      add(Kind::send, Data::peers_block, 0);
      add(Kind::copy, Data::own_block, 0);
      break;
    case CollectiveType::all_gather:
      add(Kind::send, Data::own_block, 0);
      add(Kind::copy, Data::peers_block, 0);
      break;
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_reduce:
      add(Kind::reduce, Data::own_block, 0);
      add(Kind::send, Data::peers_block, 0);
      if (type == CollectiveType::reduce_scatter) break;
      add(Kind::send, Data::own_block, 1, 0);
      add(Kind::copy, Data::peers_block, 1);
      break;
    case CollectiveType::broadcast:
      add(rank == root ? Kind::send : Kind::copy, Data::vector, 0);
      break;
    case CollectiveType::scatter:
      rank == root ? add(Kind::send, Data::peers_block, 0) : add(Kind::copy, Data::own_block, 0);
      break;
    case CollectiveType::reduce:
      add(rank == root ? Kind::reduce : Kind::send, Data::vector, 0);
      break;
    case CollectiveType::gather:
      rank == root ? add(Kind::copy, Data::peers_block, 0) : add(Kind::send, Data::own_block, 0);
      break;
    case CollectiveType::barrier:
      break;
  }
}

/// The threadblocks of one kind: to (or from) all others, or to the root only.
void DirectProgram::add(Step::Kind kind, Data data, std::uint32_t round, std::uint32_t after) {
  if (has_root(type_) && rank_ != root_) {
    const std::uint32_t distance =
        (kind == Step::Kind::send ? root_ + ranks_ - rank_ : rank_ + ranks_ - root_);
    exchanges_.push_back({kind, data, distance % ranks_, 0, 1, round, after});
    return;
  }
  const std::uint32_t peers = ranks_ - 1;
  const std::uint32_t width = kind == Step::Kind::reduce ? std::min(peers, 1U) : std::min(peers, kWindow);
  for (std::uint32_t lane = 0; lane < width; ++lane)
    exchanges_.push_back({kind, data, lane + 1, width, (peers - lane + width - 1) / width, round, after});
}

Step DirectProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Exchange& exchange = exchanges_[threadblock];
  const Blocks blocks(bytes_, ranks_);
  const std::uint32_t distance = exchange.first + index * exchange.stride;
  Step step;
  step.kind = exchange.kind;
  step.peer = (rank_ + (step.kind == Step::Kind::send ? distance : ranks_ - distance)) % ranks_;
  step.tag = exchange.round;
  if (exchange.data == Data::vector) {
    step.bytes = bytes_;
  } else {
    const std::uint32_t block = exchange.data == Data::own_block ? rank_ : step.peer;
    step.offset = blocks.offset(block);
    step.bytes = blocks.bytes(block);
  }
  if (type_ == CollectiveType::all_to_all && step.kind == Step::Kind::copy)
    step.offset = bytes_ + step.peer * blocks.bytes(rank_);
  if (exchange.after != Step::kNone) {
    step.after_threadblock = exchange.after;
    step.after_count = exchanges_[exchange.after].steps;
  }
  return step;
}

/// A message that was there before its step: all of it, not only its last chunk, is taken in then.
TimePs receive_early_ps(const MemoryTraits& memory, std::uint64_t bytes, bool reduces) {
  if (memory.is_free() || bytes == 0) return 0;
  const std::uint64_t before = (bytes - 1) / memory.chunk_bytes * memory.chunk_bytes;
  return memory.receive_ps(bytes, reduces) + memory.busy_ps(reduces ? 2 * before : 0, before);
}

}  // namespace

Algorithm::Programs direct_programs(const CollectiveRequest& request, const FabricTraits& /*fabric*/) {
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(
        std::make_unique<DirectProgram>(request.type, ranks_of(request), request.bytes, request.root, rank));
  return programs;
}

/// All messages at once, through the ports of the busiest rank and over the busiest link; all-reduce does it
/// twice. What is reduced is added in one threadblock, one message after the other.
TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  const Blocks blocks(request.bytes, p);
  const bool vectors = request.type == CollectiveType::broadcast || request.type == CollectiveType::reduce;
  const std::uint64_t bytes = vectors ? request.bytes : blocks.bytes(0);
  FabricLoads loads(fabric);
  const std::uint64_t load = fabric.format.message_wire_bytes(vectors ? request.bytes : blocks.bytes(p - 1));
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  AllPairs pairs{0, ~std::uint64_t{0}};
  if (has_root(request.type)) {
    const NpuId root = request.group[request.root];
    for (const NpuId npu : request.group) {
      if (npu == root) continue;
      const NpuId from = to_root ? npu : root, to = to_root ? root : npu;
      pairs.bytes_per_s = std::min(pairs.bytes_per_s, fabric.topology->path_bytes_per_s(from, to));
      pairs.head_ps = std::max(pairs.head_ps, fabric.topology->head_latency_ps(from, to));
      loads.add(from, to, load);
    }
  } else {
    pairs = fabric.topology->all_pairs(request.group);
    loads.add_all_pairs(request.group, load);
  }
  const TimePs longest = fabric.message_cost_ps() + pairs.head_ps, busiest = loads.busiest_ps();
  const TimePs through = std::max(message_ps(fabric, bytes, pairs.bytes_per_s), loads.ports_ps());
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
