// SPDX-License-Identifier: Apache-2.0
// In-switch reduction of a library of GPUs (NVLS): every GPU of a server is the head of a part of the vector,
// which the switch adds up for it and then brings from it to all. Of n GPUs each sends and receives
// S (1 + 1/n) bytes. Chunk by chunk: while the sums of one go out, those of the next come in. Between servers
// the heads of a part join in a binary tree; of the channels one half takes one tree, the other another one.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/gpu_library/pieces.h"

namespace wafertlm {
namespace {

/// Of a server; others only contribute and receive (NCCL_MAX_NVLS_ARITY).
constexpr std::uint32_t kMostHeads = 32;
/// Chunks that a channel has under way: its buffer's slots.
constexpr std::uint64_t kSlots = 8;

struct NvlsPlan {
  CollectiveType type;
  std::uint64_t bytes;
  Servers servers;
  InSwitchReduction nvls;
  std::vector<Tree> trees;  ///< over servers, by lane; empty: there is one
  std::uint64_t chunk = 0;  ///< of a head, all channels of a lane together
  std::uint64_t loops = 0;
  std::uint32_t heads = 0;  ///< of a server: its first GPUs

  NvlsPlan(const CollectiveRequest& request, const FabricTraits& fabric)
      : type(request.type),
        bytes(request.bytes),
        servers(*servers_of(request.group, fabric)),
        nvls(*fabric.library.nvls) {
    heads = std::min(servers.gpus, kMostHeads);
    if (type != CollectiveType::all_reduce && servers.gpus > kMostHeads)
      throw std::invalid_argument("in-switch reduction of blocks has 32 heads at most");
    std::uint64_t each = nvls.chunk_bytes;
    const std::uint64_t side_by_side = std::uint64_t{nvls.channels} * heads;
    if (servers.servers >= 4) each = std::min<std::uint64_t>(each, 65'536);
    // Small vectors in smaller chunks, as the library has it for one server and for several.
    using Rule = std::pair<std::uint64_t, std::uint64_t>;
    for (const auto& [loops_at_least, at_most] :
         servers.servers == 1 ? std::vector<Rule>{{64, 65'536}, {8, 32'768}, {2, 16'384}}
                              : std::vector<Rule>{{4, 65'536}, {1, 32'768}})
      if (bytes < loops_at_least * side_by_side * each && each > at_most) each = at_most;
    if (servers.servers > 1) trees = server_trees(servers);
    chunk = whole_elements(each * std::max(nvls.channels / lanes(), 1U));
    loops = pieces_in(pieces_in(pieces_in(bytes, lanes()), heads), chunk);
  }
  /// Channels that do the same.
  std::uint32_t lanes() const { return std::max<std::uint32_t>(static_cast<std::uint32_t>(trees.size()), 1); }
  bool sums() const { return type != CollectiveType::all_gather; }
  bool spreads() const { return type != CollectiveType::reduce_scatter; }
  /// A head's part of a chunk. All-gather and reduce-scatter: of its rank's block.
  BufferPiece piece(std::uint32_t lane, std::uint64_t loop, std::uint32_t head) const {
    const BufferPiece all{0, bytes};
    if (type == CollectiveType::all_reduce)
      return block_of(piece_of(block_of(all, lane, lanes()), chunk * heads, loop), head, heads);
    return piece_of(block_of(all, servers.at[head], servers.gpus), chunk, loop);
  }
};

class NvlsSteps final : public StepSource {
 public:
  NvlsSteps(std::shared_ptr<const NvlsPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), server_(plan_->servers.server_of(rank)), gpu_(plan_->servers.gpu_of(rank)) {}

  /// What a threadblock does in each loop.
  enum Block : std::uint32_t {
    kContribute,  ///< its values to every head
    kUp,          ///< as a head: the sum, and those of the servers below, to the server above
    kDown,        ///< as a head: from the server above to those below
    kSpread,      ///< as a head: to all
    kReceive,     ///< from every head
    kBlocks,
  };
  std::uint32_t threadblocks() const override { return plan_->lanes() * kBlocks; }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return static_cast<std::uint32_t>(plan_->loops * of_loop(threadblock));
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    const std::uint32_t lane = threadblock / kBlocks, each = of_loop(threadblock), at = index % each;
    const std::uint64_t loop = index / each;
    switch (threadblock % kBlocks) {
      case kContribute:
        return contribute(lane, loop, at);
      case kUp:
        return up(lane, loop, at);
      case kDown:
        return down(lane, loop, at);
      case kSpread:
        return spread(lane, loop);
      default:
        return flow(Step::Kind::flow_copy, lane, loop, at, true);
    }
  }
  FlowMembers flow(std::uint64_t tag) const override {
    const auto number = static_cast<std::uint32_t>((tag >> 1U) % plan_->servers.ranks());
    const std::uint32_t server = number / plan_->servers.gpus;
    const std::uint32_t head = plan_->servers.at[number];
    FlowMembers members;
    for (std::uint32_t gpu = 0; gpu < plan_->servers.gpus; ++gpu)
      members.contributors.push_back(plan_->servers.rank(server, gpu));
    std::sort(members.contributors.begin(), members.contributors.end());
    members.receivers = {head};
    if ((tag & 1U) != 0) std::swap(members.contributors, members.receivers);
    return members;
  }

 private:
  std::uint32_t of_loop(std::uint32_t threadblock) const {
    const bool is_head = gpu_ < plan_->heads;
    const std::uint32_t lane = threadblock / kBlocks;
    switch (threadblock % kBlocks) {
      case kContribute:
        return plan_->sums() ? plan_->heads : 0;
      case kUp:
        return plan_->sums() && is_head ? 1 + children(lane) + has_parent(lane) : 0;
      case kDown:
        return plan_->trees.empty() || !is_head ? 0 : children(lane) + has_parent(lane);
      case kSpread:
        return plan_->spreads() && is_head ? 1 : 0;
      default:
        return plan_->spreads() ? plan_->heads : 0;
    }
  }
  const Tree& tree(std::uint32_t lane) const { return plan_->trees[lane]; }
  std::uint32_t children(std::uint32_t lane) const {
    return plan_->trees.empty() ? 0 : static_cast<std::uint32_t>(tree(lane).children(server_).size());
  }
  std::uint32_t has_parent(std::uint32_t lane) const {
    return plan_->trees.empty() || tree(lane).is_root(server_) ? 0 : 1;
  }
  /// The step waits until `block` of its lane has done so many loops, and `more` steps.
  void wait_for(Step& step, std::uint32_t lane, Block block, std::uint64_t loops,
                std::uint32_t more = 0) const {
    step.after_threadblock = lane * kBlocks + block;
    step.after_count = static_cast<std::uint32_t>(loops * of_loop(step.after_threadblock)) + more;
  }

  /// Of the flow of a head's part: to it, or from it.
  Step flow(Step::Kind kind, std::uint32_t lane, std::uint64_t loop, std::uint32_t head,
            bool from_head) const {
    Step step;
    step.kind = kind;
    carry(step, plan_->piece(lane, loop, head));
    const std::uint64_t place = server_ * plan_->servers.gpus + head;
    step.tag = 2 * ((loop * plan_->lanes() + lane) * plan_->servers.ranks() + place) + (from_head ? 1 : 0);
    return step;
  }
  Step contribute(std::uint32_t lane, std::uint64_t loop, std::uint32_t head) const {
    Step step = flow(Step::Kind::flow_send, lane, loop, head, false);
    if (head != 0) return step;
    step.delay_ps = plan_->nvls.step_ps + (loop == 0 ? plan_->nvls.base_ps : 0);
    // A head asks for a chunk when it has the one before; others send when the buffer has a free slot.
    if (gpu_ < plan_->heads && loop >= 1)
      wait_for(step, lane, kUp, loop - 1, 1);
    else if (loop >= kSlots)
      wait_for(step, lane, kReceive, loop - kSlots + 1);
    return step;
  }
  Step up(std::uint32_t lane, std::uint64_t loop, std::uint32_t at) const {
    if (at != 0) {
      const bool sends = at == 1 + children(lane);
      return message(lane, loop, sends ? tree(lane).parent(server_) : tree(lane).children(server_)[at - 1],
                     sends ? Step::Kind::send : Step::Kind::reduce, false);
    }
    Step step = flow(Step::Kind::flow_copy, lane, loop, gpu_, false);
    // A slot of the buffer is free again.
    if (plan_->spreads() && loop >= kSlots) wait_for(step, lane, kReceive, loop - kSlots + 1);
    return step;
  }
  Step down(std::uint32_t lane, std::uint64_t loop, std::uint32_t at) const {
    if (has_parent(lane) != 0 && at == 0)
      return message(lane, loop, tree(lane).parent(server_), Step::Kind::copy, true);
    const std::uint32_t child = at - has_parent(lane);
    Step step = message(lane, loop, tree(lane).children(server_)[child], Step::Kind::send, true);
    if (has_parent(lane) == 0 && child == 0) wait_for(step, lane, kUp, loop + 1);
    return step;
  }
  Step spread(std::uint32_t lane, std::uint64_t loop) const {
    Step step = flow(Step::Kind::flow_send, lane, loop, gpu_, true);
    step.delay_ps = plan_->nvls.step_ps + (loop == 0 && !plan_->sums() ? plan_->nvls.base_ps : 0);
    if (has_parent(lane) != 0)
      wait_for(step, lane, kDown, loop, 1);
    else if (plan_->sums())
      wait_for(step, lane, kUp, loop + 1);
    return step;
  }
  Step message(std::uint32_t lane, std::uint64_t loop, std::uint32_t server, Step::Kind kind,
               bool down) const {
    Step step;
    step.kind = kind;
    step.peer = plan_->servers.rank(server, gpu_);
    carry(step, plan_->piece(lane, loop, gpu_));
    step.tag = 2 * (loop * plan_->lanes() + lane) + (down ? 1 : 0);
    if (kind == Step::Kind::send) {  // it hands the network a slot of its buffer
      step.delay_ps = plan_->nvls.network_ps;
      step.nonblocking = true;
    }
    return step;
  }
  std::shared_ptr<const NvlsPlan> plan_;
  std::uint32_t server_, gpu_;
};

}  // namespace

Algorithm::Programs nvls_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto plan = std::make_shared<const NvlsPlan>(request, fabric);
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < plan->servers.ranks(); ++rank)
    programs.push_back(std::make_unique<NvlsSteps>(plan, rank));
  return programs;
}

/// S (1 + 1/n) over a GPU's link, the first chunk alone before and the last one behind.
TimePs nvls_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const NvlsPlan plan(request, fabric);
  const Servers& servers = plan.servers;
  const std::uint64_t rate = servers.flow_bytes_per_s;
  const std::uint64_t chunk = std::min(plan.chunk * plan.heads, request.bytes);
  const std::uint64_t moved = request.type == CollectiveType::all_reduce
                                  ? request.bytes + request.bytes / plan.heads + chunk - chunk / plan.heads
                                  : request.bytes;
  TimePs time = plan.nvls.base_ps + transfer_time_ps(moved, rate) + 2 * plan.loops * plan.nvls.step_ps;
  if (servers.servers > 1) {
    time =
        std::max(time, transfer_time_ps(request.bytes / plan.heads, servers.network_bytes_per_s)) +
        2 * servers.levels() *
            (plan.nvls.network_ps + transfer_time_ps(plan.piece(0, 0, 0).bytes, servers.network_bytes_per_s));
  }
  return time;
}

}  // namespace wafertlm
