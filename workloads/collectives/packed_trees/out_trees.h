// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/algorithm/tree.h"
#include "workloads/collectives/packed_trees/rank_graph.h"

namespace wafertlm {

/// Out-trees that span all ranks of a graph, one for each of `roots`, with each link in so many of them at
/// most. Grown one after the other, shallow first: a link is taken if the other trees can still be completed
/// without it, which one maximum flow to its end tells (Edmonds 1973; Lovász 1976; of several roots Bérczi
/// and Frank 2010, as in ForestColl, Zhao et al., arXiv 2402.06787). None: there are no such trees.
std::vector<Tree> exact_out_trees(const RankGraph& graph, const std::vector<std::uint32_t>& most_by_link,
                                  const std::vector<std::uint32_t>& roots);

/// Out-trees that span all ranks, one for each of `roots`, that load links in proportion to their rates.
/// Grown one after the other, each shallow and away from loaded links; then ranks that get too much over one
/// link choose another parent in some trees. Quick, and good where there are many roots.
std::vector<Tree> balanced_out_trees(const RankGraph& graph, const std::vector<std::uint32_t>& roots);

}  // namespace wafertlm
