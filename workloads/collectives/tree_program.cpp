// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/tree_program.h"

#include <algorithm>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/rank_programs.h"
#include "workloads/collectives/shape.h"

namespace wafertlm {

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

TreeUse tree_use(const CollectiveRequest& request, const FabricTraits& fabric) {
  const bool both = !has_root(request.type);
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  const std::uint32_t root = both ? centre_rank(request.group, *fabric.topology) : request.root;
  return {Tree(fabric.topology->spanning_parents(request.group, root)), both || to_root, !to_root,
          request.type == CollectiveType::gather || request.type == CollectiveType::scatter};
}

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

}  // namespace wafertlm
