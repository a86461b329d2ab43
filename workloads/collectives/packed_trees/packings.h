// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/packed_trees/rank_graph.h"
#include "workloads/collectives/packed_trees/tree_packing.h"

namespace wafertlm {

/// What a type of collective does along trees.
struct TreeUse {
  enum class Roots : std::uint8_t {
    anywhere,  ///< all trees share the vector
    one,       ///< the same, all from or to the root of the request
    every,     ///< each rank has trees of its own, which share its block
  };
  bool up = false, down = false;  ///< chunks are added on their way to the root, or copied from it, or both
  Roots roots = Roots::anywhere;
  std::uint32_t root = 0;

  bool operator==(const TreeUse& other) const;
};
/// Of all-reduce, all-gather, reduce-scatter, broadcast or reduce. None: another type.
std::optional<TreeUse> tree_use(CollectiveType type, std::uint32_t root);

/// The packings that a collective may choose from, few trees first; the last ones are as near to the bound as
/// 1 % or the rounding of unequal links lets them. One at least.
std::vector<TreePacking> packings_of(const RankGraph& graph, const TreeUse& use);

}  // namespace wafertlm
