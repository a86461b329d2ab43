// SPDX-License-Identifier: Apache-2.0
// Graphs of ranks, and what trees packed in them must be.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "workloads/collectives/packed_trees/packings.h"

namespace wafertlm::test {

using RankPair = std::pair<std::uint32_t, std::uint32_t>;

/// Connected; links of 1 to `most_rate` bytes/s, each direction one of its own.
inline RankGraph random_graph(std::mt19937_64& random, std::uint32_t ranks, std::uint64_t most_rate) {
  std::set<RankPair> pairs;
  for (std::uint32_t rank = 1; rank < ranks; ++rank) pairs.emplace(random() % rank, rank);
  for (std::uint64_t more = random() % (2 * ranks); more > 0; --more) {
    const auto a = static_cast<std::uint32_t>(random() % ranks),
               b = static_cast<std::uint32_t>(random() % ranks);
    if (a != b) pairs.insert(std::minmax(a, b));
  }
  RankGraph graph;
  graph.ranks = ranks;
  for (const auto& [a, b] : pairs) {
    graph.links.push_back({a, b, 1 + random() % most_rate});
    graph.links.push_back({b, a, 1 + random() % most_rate});
  }
  std::sort(graph.links.begin(), graph.links.end());
  return graph;
}

/// Every tree spans by links of the graph, none of which is in more trees than its slots; roots are whose
/// they should be.
inline void expect_packing(const TreePacking& packing, const RankGraph& graph, const TreeUse& use) {
  std::vector<std::uint32_t> load(graph.links.size(), 0);
  const auto cross = [&](std::uint32_t from, std::uint32_t to) {
    const std::size_t link = graph.number(from, to);
    ASSERT_LT(link, graph.links.size());
    ASSERT_EQ(graph.links[link].from, from);
    ASSERT_EQ(graph.links[link].to, to);
    ++load[link];
  };
  ASSERT_FALSE(packing.trees.empty());
  ASSERT_EQ(packing.slots.size(), graph.links.size());
  for (std::size_t number = 0; number < packing.trees.size(); ++number) {
    const Tree& tree = packing.trees[number];
    ASSERT_EQ(tree.ranks(), graph.ranks);
    ASSERT_EQ(tree.preorder().size(), graph.ranks);  // all are below the root
    if (use.roots == TreeUse::Roots::one) {
      EXPECT_EQ(tree.root(), use.root);
    }
    if (use.roots == TreeUse::Roots::every) {
      EXPECT_EQ(tree.root(), number / packing.trees_per_block);
    }
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
      if (tree.is_root(rank)) continue;
      if (use.up) cross(rank, tree.parent(rank));
      if (use.down) cross(tree.parent(rank), rank);
    }
  }
  for (std::size_t link = 0; link < load.size(); ++link) EXPECT_LE(load[link], packing.slots[link]);
}

}  // namespace wafertlm::test
