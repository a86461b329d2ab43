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
#include "workloads/collectives/algorithm/tree.h"

namespace wafertlm {
namespace {

/// What all ranks of a pipelined tree collective share.
struct TreePlan {
  std::vector<Tree> trees;  ///< each with an equal share of the vector, side by side
  std::uint64_t bytes = 0;
  std::uint32_t chunks = 1;  ///< of a share; they follow each other through the tree
  bool up = false;           ///< reduce to the root
  bool down = false;         ///< broadcast from the root, after the reduction of the chunk
};

/// Broadcast (down), reduce (up) and all-reduce (both) along trees. A rank adds its children's chunk k one
/// child after the other, so that the order of the sum is fixed; what comes early waits in memory.
/// Threadblocks of a tree: one per child that receives, one that sends up; one that receives from above, one
/// per child that sends down. A step per chunk.
class TreeProgram : public StepSource {
 public:
  TreeProgram(std::shared_ptr<const TreePlan> plan, std::uint32_t rank);

  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t steps(std::uint32_t) const override { return plan_->chunks; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  struct Edge {
    std::uint32_t tree;
    bool down, sends;
    std::uint32_t peer;
    std::uint32_t after;  ///< threadblock whose step of the same chunk comes first
  };

  std::shared_ptr<const TreePlan> plan_;
  std::vector<Edge> edges_;  // a few per neighbour in a tree
};

/// What all ranks of a gather or scatter along a tree share.
struct TreeBlocksPlan {
  Tree tree;
  std::uint64_t bytes = 0;
  bool up = false;  ///< gather, else scatter
};

/// Gather and scatter along a tree, a block per message. Going up, a rank's own block is followed by those of
/// the ranks below it in preorder; going down they come the other way round, the rank's own last.
class TreeBlocksProgram : public StepSource {
 public:
  TreeBlocksProgram(std::shared_ptr<const TreeBlocksPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  /// One per child, then one for the parent.
  std::uint32_t threadblocks() const override;
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return plan_->tree.size(below(threadblock));
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  bool is_parents(std::uint32_t threadblock) const {
    return threadblock == plan_->tree.children(rank_).size();
  }
  /// The root of the subtree whose blocks a threadblock moves.
  std::uint32_t below(std::uint32_t threadblock) const {
    return is_parents(threadblock) ? rank_ : plan_->tree.children(rank_)[threadblock];
  }

  std::shared_ptr<const TreeBlocksPlan> plan_;
  std::uint32_t rank_;
};

/// How a request goes along a tree: from its root, or to and from the centre of the group.
struct TreeUse {
  Tree tree;
  bool up, down;
  bool by_blocks;  ///< gather and scatter
};

TreeProgram::TreeProgram(std::shared_ptr<const TreePlan> plan, std::uint32_t rank) : plan_(std::move(plan)) {
  for (std::uint32_t number = 0; number < plan_->trees.size(); ++number) {
    const Tree& tree = plan_->trees[number];
    // The threadblock after whose step this rank holds the chunk that goes on.
    std::uint32_t holds = Step::kNone;
    const auto add = [&](bool down, bool sends, std::uint32_t peer, std::uint32_t after) {
      edges_.push_back({number, down, sends, peer, after});
      return static_cast<std::uint32_t>(edges_.size() - 1);
    };
    if (plan_->up) {
      for (const std::uint32_t child : tree.children(rank)) holds = add(false, false, child, holds);
      if (!tree.is_root(rank)) add(false, true, tree.parent(rank), holds);
    }
    if (plan_->down) {
      if (!tree.is_root(rank)) holds = add(true, false, tree.parent(rank), Step::kNone);
      for (const std::uint32_t child : tree.children(rank)) add(true, true, child, holds);
    }
  }
}

Step TreeProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Edge& edge = edges_[threadblock];
  const Blocks shares(plan_->bytes, plan_->trees.size());
  const Blocks chunks(shares.bytes(edge.tree), plan_->chunks);
  Step step;
  step.kind = edge.sends ? Step::Kind::send : edge.down ? Step::Kind::copy : Step::Kind::reduce;
  step.peer = edge.peer;
  step.offset = shares.offset(edge.tree) + chunks.offset(index);
  step.bytes = chunks.bytes(index);
  step.tag = (std::uint64_t{edge.tree} << 1 | (edge.down ? 1 : 0)) << 32 | index;
  if (edge.after != Step::kNone) {
    step.after_threadblock = edge.after;
    step.after_count = index + 1;
  }
  return step;
}

std::uint32_t TreeBlocksProgram::threadblocks() const {
  return static_cast<std::uint32_t>(plan_->tree.children(rank_).size()) +
         (plan_->tree.is_root(rank_) ? 0 : 1);
}

Step TreeBlocksProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Tree& tree = plan_->tree;
  const std::uint32_t top = below(threadblock);
  const auto position = [&](std::uint32_t of, std::uint32_t number) {
    return tree.position(of) + (plan_->up ? number : tree.size(of) - 1 - number);
  };
  const std::uint32_t at = position(top, index), block = tree.preorder()[at];
  const Blocks blocks(plan_->bytes, tree.ranks());
  Step step;
  step.kind = is_parents(threadblock) == plan_->up ? Step::Kind::send : Step::Kind::copy;
  step.peer = is_parents(threadblock) ? tree.parent(rank_) : top;
  step.offset = blocks.offset(block);
  step.bytes = blocks.bytes(block);
  step.tag = block;
  if (step.kind == Step::Kind::copy || block == rank_) return step;
  if (plan_->up) {  // it has come from the child that has it below itself
    const auto& children = tree.children(rank_);
    const auto child = std::upper_bound(children.begin(), children.end(), at,
                                        [&](std::uint32_t sought, std::uint32_t rank) {
                                          return sought < tree.position(rank);
                                        }) -
                       children.begin() - 1;
    step.after_threadblock = static_cast<std::uint32_t>(child);
    step.after_count = at - tree.position(children[static_cast<std::size_t>(child)]) + 1;
  } else if (!tree.is_root(rank_)) {
    step.after_threadblock = threadblocks() - 1;
    step.after_count = tree.position(rank_) + tree.size(rank_) - at;
  }
  return step;
}

/// The rank with the least latency to the one farthest from it; the lowest of several.
std::uint32_t centre_rank(const Group& group, const Topology& topology) {
  const auto distances = topology.distances(group);
  std::uint32_t best = 0;
  TimePs least = kNever;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    if (const TimePs farthest = distances->farthest_ps(group[rank]); farthest < least) {
      least = farthest;
      best = rank;
    }
  return best;
}

TreeUse tree_use(const CollectiveRequest& request, const FabricTraits& fabric) {
  const bool both = !has_root(request.type);
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  const std::uint32_t root = both ? centre_rank(request.group, *fabric.topology) : request.root;
  return {Tree(fabric.topology->spanning_parents(request.group, root)), both || to_root, !to_root,
          request.type == CollectiveType::gather || request.type == CollectiveType::scatter};
}

/// A chunk of each tree on its way: along a tree's edges up, and then down.
class TreeChunk {
 public:
  TreeChunk(const CollectiveRequest& request, const FabricTraits& fabric, std::uint64_t bytes)
      : request_(request), fabric_(fabric), bytes_(bytes) {}

  /// From its start until all ranks have what they need of it.
  TimePs path_ps(const Tree& tree, bool up, bool down) const {
    return (up ? up_ps(tree) : 0) + (down ? down_ps(tree) : 0);
  }
  /// From message to message of a threadblock: the next one waits for the costs of the one before.
  TimePs pace_ps(const Tree& tree, bool up, bool down) const {
    TimePs slowest = 0;
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
      if (tree.is_root(rank)) continue;
      if (up) slowest = std::max(slowest, alone_ps(rank, tree.parent(rank)));
      if (down) slowest = std::max(slowest, alone_ps(tree.parent(rank), rank));
    }
    return std::max(slowest + sent_ps(), fabric_.receive_cost_ps + taken_ps(up));
  }

 private:
  TimePs alone_ps(std::uint32_t from, std::uint32_t to) const {
    return message_ps(fabric_, bytes_,
                      fabric_.topology->path_bytes_per_s(request_.group[from], request_.group[to]));
  }
  TimePs head_ps(std::uint32_t from, std::uint32_t to) const {
    return fabric_.topology->head_latency_ps(request_.group[from], request_.group[to]);
  }
  TimePs sent_ps() const { return fabric_.step_cost_ps + fabric_.memory.send_ps(bytes_); }
  TimePs taken_ps(bool reduces) const { return fabric_.memory.receive_ps(bytes_, reduces); }
  /// What a rank's port takes for the chunks of all its children, which cross it at once.
  TimePs of_children_ps(const Tree& tree, std::uint32_t rank, bool up) const {
    const NpuId npu = request_.group[rank];
    return tree.children(rank).size() * message_ps(fabric_, bytes_,
                                                   up ? fabric_.topology->npu_receives_bytes_per_s(npu)
                                                      : fabric_.topology->npu_sends_bytes_per_s(npu));
  }

  /// A parent takes its children's one after the other, and each when it is there.
  TimePs up_ps(const Tree& tree) const {
    std::vector<TimePs> has(tree.ranks(), 0);
    for (auto rank = tree.preorder().rbegin(); rank != tree.preorder().rend(); ++rank) {
      const TimePs port = of_children_ps(tree, *rank, true);
      for (const std::uint32_t child : tree.children(*rank)) {
        const TimePs came =
            has[child] + sent_ps() + std::max(alone_ps(child, *rank), port) + head_ps(child, *rank);
        has[*rank] = std::max(has[*rank], came) + fabric_.receive_cost_ps + taken_ps(true);
      }
    }
    return has[tree.root()];
  }
  TimePs down_ps(const Tree& tree) const {
    std::vector<TimePs> has(tree.ranks(), 0);
    for (const std::uint32_t rank : tree.preorder()) {
      const TimePs port = of_children_ps(tree, rank, false);
      for (const std::uint32_t child : tree.children(rank))
        has[child] = has[rank] + sent_ps() + std::max(alone_ps(rank, child), port) + head_ps(rank, child) +
                     fabric_.receive_cost_ps + taken_ps(false);
    }
    return *std::max_element(has.begin(), has.end());
  }

  const CollectiveRequest& request_;
  const FabricTraits& fabric_;
  std::uint64_t bytes_;
};

/// Chunks one after the other: the first one's way, and the others behind, as fast as the threadblocks, or
/// the busiest link, port or memory lets them.
TimePs vector_trees_ps(const std::vector<Tree>& trees, const CollectiveRequest& request,
                       const FabricTraits& fabric, bool up, bool down) {
  const Blocks shares(request.bytes, trees.size());
  FabricLoads first(fabric), all(fabric);
  std::vector<std::uint64_t> read(request.group.size(), 0), written = read;
  TimePs longest = 0;
  TimePs path = 0;
  for (std::size_t number = 0; number < trees.size(); ++number) {
    const Tree& tree = trees[number];
    const std::uint64_t share = shares.bytes(number), bytes = Blocks(share, request.chunks).bytes(0);
    if (bytes == 0) continue;
    const std::uint64_t chunks = std::min<std::uint64_t>(request.chunks, share),
                        wire = fabric.format.message_wire_bytes(bytes);
    const auto load = [&](std::uint32_t from, std::uint32_t to, bool reduces) {
      first.add(request.group[from], request.group[to], wire);
      all.add(request.group[from], request.group[to], chunks * wire);
      read[from] += share;
      read[to] += reduces ? 2 * share : 0;
      written[to] += share;
    };
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
      if (tree.is_root(rank)) continue;
      if (up) load(rank, tree.parent(rank), true);
      if (down) load(tree.parent(rank), rank, false);
    }
    const TreeChunk chunk(request, fabric, bytes);
    const TimePs way = chunk.path_ps(tree, up, down);
    path = std::max(path, way);
    longest = std::max(longest, way + (chunks - 1) * chunk.pace_ps(tree, up, down));
  }
  longest = std::max(longest, path + all.busiest_ps() - first.busiest_ps());
  for (std::size_t rank = 0; rank < read.size(); ++rank)
    longest = std::max(longest, fabric.memory.busy_ps(read[rank], written[rank]));
  return longest;
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
  FabricLoads loads(fabric);
  // When the block at each position of preorder is at the top of the subtree that has been looked at.
  std::vector<TimePs> at(tree.ranks(), 0);
  TimePs last = 0;
  const auto pass_on = [&](std::uint32_t rank) {
    const NpuId own = request.group[rank], parent = request.group[tree.parent(rank)];
    loads.add(up ? own : parent, up ? parent : own,
              tree.size(rank) * fabric.format.message_wire_bytes(blocks.bytes(tree.ranks() - 1)));
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
  return std::max(last, loads.busiest_ps());
}

}  // namespace

Algorithm::Programs tree_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  TreeUse use = tree_use(request, fabric);
  if (use.by_blocks)
    return rank_programs<TreeBlocksProgram>(request,
                                            TreeBlocksPlan{std::move(use.tree), request.bytes, use.up});
  TreePlan plan;
  plan.trees.push_back(std::move(use.tree));
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.up = use.up;
  plan.down = use.down;
  return rank_programs<TreeProgram>(request, std::move(plan));
}

Algorithm::Programs double_tree_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  TreePlan plan;
  plan.trees = double_binary_trees(fabric.topology->ring_order(request.group));
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.up = plan.down = true;
  return rank_programs<TreeProgram>(request, std::move(plan));
}

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
