// SPDX-License-Identifier: Apache-2.0
// Cuts of random graphs, both directions unequal, against all sets of vertices.
#include <gtest/gtest.h>

#include "tests/unit/workloads/collectives/bounds/graphs.h"
#include "tlm/kernel/units.h"
#include "workloads/collectives/cuts/cuts.h"

namespace wafertlm::bounds {
namespace {

struct Side {
  std::uint64_t members = 0, bytes_per_s = 0;
  bool has_root = false;
};

/// Of every set of vertices.
std::vector<Side> all_sides(const LinkGraph& graph, std::uint32_t members, std::uint32_t root) {
  std::vector<Side> sides;
  for (std::uint32_t set = 0; set < 1U << graph.vertices.size(); ++set) {
    Side side;
    const auto inside = [&](std::uint32_t vertex) { return (set >> vertex & 1U) != 0; };
    for (std::uint32_t member = 0; member < members; ++member) side.members += inside(member) ? 1 : 0;
    for (const LinkGraph::Link& link : graph.links)
      if (inside(link.from) && !inside(link.to)) side.bytes_per_s += link.bytes_per_s;
    side.has_root = inside(root);
    sides.push_back(side);
  }
  return sides;
}

void expect_measured(const LinkGraph& graph, const DirectedCut& cut, std::uint32_t members) {
  std::uint64_t inside = 0, leaves = 0;
  for (std::uint32_t member = 0; member < members; ++member) inside += cut.inside[member] ? 1 : 0;
  for (const LinkGraph::Link& link : graph.links)
    if (cut.inside[link.from] && !cut.inside[link.to]) leaves += link.bytes_per_s;
  EXPECT_EQ(cut.members, inside);
  EXPECT_EQ(cut.bytes_per_s, leaves);
}

TEST(DirectedCuts, OfRandomGraphsAreTheBestOfAll) {
  std::mt19937_64 random(1);
  std::uint32_t inner = 0;
  for (int number = 0; number < 300; ++number) {
    const auto vertices = static_cast<std::uint32_t>(2 + random() % 8);
    const auto count = static_cast<std::uint32_t>(2 + random() % (vertices - 1));
    const auto root = static_cast<std::uint32_t>(random() % count);
    const LinkGraph graph = test::random_links(random, vertices, count);
    const auto members = test::first_vertices(count);
    const DirectedCut densest = densest_cut(graph, members), rooted = narrowest_from(graph, root, members),
                      between = narrowest_between(graph, members);
    for (const Side& side : all_sides(graph, count, root)) {
      if (side.members == count) continue;
      EXPECT_LE(Uint128{side.members} * densest.bytes_per_s, Uint128{densest.members} * side.bytes_per_s);
      if (side.has_root) {
        EXPECT_LE(rooted.bytes_per_s, side.bytes_per_s);
      }
      if (side.members != 0) {
        EXPECT_LE(between.bytes_per_s, side.bytes_per_s);
      }
    }
    for (const DirectedCut* const cut : {&densest, &rooted, &between}) {
      expect_measured(graph, *cut, count);
      EXPECT_GT(cut->members, 0U);
      EXPECT_LT(cut->members, count);
    }
    EXPECT_TRUE(rooted.inside[root]);
    inner += densest.members > 1 && densest.members + 1 < count ? 1 : 0;
  }
  EXPECT_GT(inner, 20U);
}

// A corner receives all other blocks over two links (ForestColl's optimum: reference synthesis.md).
TEST(DirectedCuts, OfAMeshAreItsCorners) {
  for (const std::uint32_t side : {2U, 4U, 8U, 16U}) {
    const DirectedCut cut = densest_cut(test::bare_mesh(side, side), test::first_vertices(side * side));
    EXPECT_EQ(cut.members, side * side - 1);
    EXPECT_EQ(cut.bytes_per_s, 2 * test::kMeshLink);
  }
}

// Without the NPU at (1, 0) the corner gets its blocks, and a broadcast, over one link.
TEST(DirectedCuts, OfAMeshWithAHoleAreTheCornerBesideIt) {
  const LinkGraph mesh = test::bare_mesh(5, 4, {1});
  const DirectedCut dense = densest_cut(mesh, test::first_vertices(19)),
                    narrow = narrowest_from(mesh, 7, test::first_vertices(19));
  EXPECT_EQ(dense.members, 18U);
  EXPECT_EQ(dense.bytes_per_s, test::kMeshLink);
  EXPECT_EQ(narrow.bytes_per_s, test::kMeshLink);
}

}  // namespace
}  // namespace wafertlm::bounds
