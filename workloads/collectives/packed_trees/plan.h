// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/packed_trees/link_schedule.h"

namespace wafertlm {

/// The packings of a graph that a collective may choose from, few trees first, and their schedules. Made when
/// they are asked for.
class PackedTrees {
 public:
  explicit PackedTrees(const RankGraph& graph);

  /// Trees per link: 1, 2, 4 … and what reaches the bound.
  const std::vector<TreePacking>& packings() const { return packings_; }
  const PartitionBound& bound() const { return bound_; }
  std::shared_ptr<const LinkSchedule> schedule(std::size_t packing, std::uint32_t lag);

  /// One for each graph that was asked for of late.
  static std::shared_ptr<PackedTrees> of(const RankGraph& graph);

 private:
  std::vector<TreePacking> packings_;
  PartitionBound bound_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::shared_ptr<const LinkSchedule>> schedules_;
};

/// What all ranks of an all-reduce share: the packing with the shortest prediction for these chunks.
struct PackedTreesPlan {
  std::shared_ptr<PackedTrees> trees;  ///< owns `packing`
  const TreePacking* packing = nullptr;
  std::shared_ptr<const LinkSchedule> schedule;
  std::uint64_t bytes = 0;
  std::uint32_t chunks = 1;  ///< of each tree's share
  TimePs predicted_ps = 0;
};
PackedTreesPlan packed_trees_plan(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
