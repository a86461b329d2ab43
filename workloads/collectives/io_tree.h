// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/program.h"
#include "tlm/topology.h"

namespace wafertlm {

/// A tree over the ranks of a collective.
struct IoTree {
  std::vector<std::uint32_t> parent;                 ///< by rank; the root's is the root
  std::vector<std::vector<std::uint32_t>> children;  ///< by rank
};

/// A vector that goes through trees with the same root in chunks: chunk c takes tree c mod their number.
struct IoTreePlan {
  Group group;               ///< the controller, then the NPUs of the trees in the order of their numbers
  std::vector<bool> relays;  ///< by rank: not a member of the stream, only passes it on; empty: nobody
  std::uint32_t root = 0;
  std::vector<IoTree> trees;
  std::uint64_t bytes = 0, chunk_bytes = 1;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes); }
  std::uint32_t chunks_of(std::size_t tree) const {
    const auto count = static_cast<std::uint32_t>(trees.size());
    return (chunks() + count - 1 - static_cast<std::uint32_t>(tree)) / count;
  }
  /// What goes through a tree.
  std::uint64_t bytes_of(std::size_t tree) const;
};

/// The trees of a controller, without bytes.
IoTreePlan io_trees_of(std::uint32_t controller, const std::vector<bool>& is_member,
                       const Topology& topology);

/// One rank's part: per tree a threadblock for the parent and one for each child, a step per chunk.
/// Broadcast: chunks come from the parent and are passed on. Reduce: what children send is added, one behind
/// the other, so that the sum that goes to the parent depends on the last one only; a relay has nothing to
/// add it to.
class IoProgram : public StepSource {
 public:
  IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces);
  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return plan_->chunks_of(edges_[threadblock].tree);
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// To the parent or a child in a tree.
  struct Edge {
    std::uint32_t tree;
    Step::Kind kind;
    std::uint32_t peer;
    std::uint32_t after;  ///< threadblock whose step of the same chunk comes first, or kNone
  };
  std::shared_ptr<const IoTreePlan> plan_;
  std::vector<Edge> edges_;  ///< by threadblock
};

}  // namespace wafertlm
