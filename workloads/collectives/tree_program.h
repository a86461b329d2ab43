// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/tree.h"

namespace wafertlm {

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
TreeUse tree_use(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs tree_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs tree_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs double_tree_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs double_tree_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
