// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/packed_trees/link_schedule.h"
#include "workloads/collectives/packed_trees/packings.h"

namespace wafertlm {

/// The packings of a graph that a collective may choose from (packings_of), and their schedules. Made when
/// they are asked for.
class PackedTrees {
 public:
  PackedTrees(RankGraph graph, const TreeUse& use);

  const RankGraph& graph() const { return graph_; }
  const TreeUse& use() const { return use_; }
  const std::vector<TreePacking>& packings() const { return packings_; }
  std::shared_ptr<const LinkSchedule> schedule(std::size_t packing, std::uint32_t lag);

  /// Of a group, kept with the fabric's plans.
  static std::shared_ptr<PackedTrees> of(const CollectiveRequest& request, const FabricTraits& fabric);

 private:
  RankGraph graph_;
  TreeUse use_;
  std::vector<TreePacking> packings_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::shared_ptr<const LinkSchedule>> schedules_;
};

/// What all ranks of a collective share: the packing with the shortest prediction for these chunks.
struct PackedTreesPlan {
  std::shared_ptr<PackedTrees> trees;  ///< owns `packing`
  const TreePacking* packing = nullptr;
  std::shared_ptr<const LinkSchedule> schedule;
  std::uint64_t bytes = 0;
  std::uint32_t chunks = 1;  ///< of each tree's share
  TimePs predicted_ps = 0;

  /// Of the vector.
  BufferPiece piece(std::uint32_t tree, std::uint32_t chunk) const;
};
PackedTreesPlan packed_trees_plan(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
