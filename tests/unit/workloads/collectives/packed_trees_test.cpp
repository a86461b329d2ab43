// SPDX-License-Identifier: Apache-2.0
// Packed spanning trees: as many as Nash-Williams and Tutte allow, no link in more than it may be in, and
// schedules in which no two chunks want a link at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "tests/unit/workloads/collectives/rank_graphs.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/packed_trees/plan.h"
#include "workloads/collectives/packed_trees/tree_packer.h"

namespace wafertlm {
namespace {

using test::random_graph;

RankGraph mesh_graph(std::uint32_t width, std::uint32_t height) {
  return direct_links(test::first_npus(width * height), test::wafer_of(width, height)).value();
}

PackedTrees all_reduce_trees(const RankGraph& graph) {
  return {graph, tree_use(CollectiveType::all_reduce, 0).value()};
}

/// Of the widest partition in units of links that are all alike.
PartitionBound bound_of(const RankGraph& graph) {
  TreePacker packer{UndirectedRanks(graph)};
  while (true) {
    const PartitionBound bound = packer.bound();
    packer.pack(std::vector<std::uint32_t>(packer.graph().links.size(),
                                           static_cast<std::uint32_t>(bound.parts_less_one)));
    const PartitionBound after = packer.bound();
    if (after.links == bound.links && after.parts_less_one == bound.parts_less_one) return bound;
  }
}

std::uint32_t most_slots(const TreePacking& packing) {
  return *std::max_element(packing.slots.begin(), packing.slots.end());
}

/// The least links between parts, over parts less one, as a fraction; looks at all partitions.
std::pair<std::uint64_t, std::uint64_t> least_partition(const RankGraph& graph) {
  std::pair<std::uint64_t, std::uint64_t> least{graph.links.size() / 2, graph.ranks - 1};
  std::vector<std::uint32_t> part(graph.ranks, 0);
  const auto visit = [&](const auto& self, std::uint32_t rank, std::uint32_t parts) -> void {
    if (rank == graph.ranks) {
      if (parts < 2) return;
      std::uint64_t between = 0;
      for (const RankGraph::Link& link : graph.links) between += part[link.from] != part[link.to] ? 1 : 0;
      if (between / 2 * least.second < least.first * (parts - 1)) least = {between / 2, parts - 1};
      return;
    }
    for (part[rank] = 0; part[rank] <= parts; ++part[rank])
      self(self, rank + 1, std::max(parts, part[rank] + 1));
  };
  visit(visit, 1, 1);
  return least;
}

// w x h: (2wh - w - h) links over wh - 1 (Nash-Williams 1961); 5 x 4: 31 trees, 19 on each link.
TEST(PackedTrees, OfMeshesLoadEveryLinkEvenly) {
  for (const auto& [width, height] : {std::pair{5U, 4U}, {2U, 2U}, {8U, 8U}, {7U, 3U}, {6U, 1U}}) {
    const RankGraph graph = mesh_graph(width, height);
    const PartitionBound bound = bound_of(graph);
    EXPECT_EQ(bound.links * (graph.ranks - 1), bound.parts_less_one * graph.links.size() / 2);
    const PackedTrees trees = all_reduce_trees(graph);
    for (const TreePacking& packing : trees.packings()) {
      test::expect_packing(packing, graph, trees.use());
      EXPECT_EQ(packing.trees.size(), bound.links * most_slots(packing) / bound.parts_less_one);
    }
  }
  const PackedTrees wafer = all_reduce_trees(mesh_graph(5, 4));
  EXPECT_EQ(wafer.packings().back().trees.size(), 31U);
  EXPECT_EQ(most_slots(wafer.packings().back()), 19U);
}

// Computed by cutting planes with rational numbers: 3/2 without NPU (2,1), 1 without (1,0).
TEST(PackedTrees, OfMeshesWithAHoleReachTheirPartitions) {
  const FabricTraits wafer = test::wafer_of(5, 4);
  for (const auto& [hole, links, parts_less_one] : {std::tuple{7U, 3U, 2U}, {1U, 1U, 1U}}) {
    std::vector<NpuId> group = test::first_npus(20);
    group.erase(group.begin() + hole);
    // Without the routes around or through the hole.
    RankGraph graph = direct_links(group, wafer).value();
    graph.links.erase(std::remove_if(graph.links.begin(), graph.links.end(),
                                     [&](const RankGraph::Link& link) {
                                       return wafer.topology->hops(group[link.from], group[link.to]) != 1;
                                     }),
                      graph.links.end());
    const PartitionBound bound = bound_of(graph);
    EXPECT_EQ(bound.links, links);
    EXPECT_EQ(bound.parts_less_one, parts_less_one);
    EXPECT_EQ(all_reduce_trees(graph).packings().back().trees.size(), links);
  }
}

TEST(PackedTrees, OfRandomGraphsAreAsManyAsTheLeastPartitionAllows) {
  std::mt19937_64 random(5);
  for (int number = 0; number < 100; ++number) {
    const RankGraph graph = random_graph(random, 2 + static_cast<std::uint32_t>(random() % 7), 1);
    const auto [links, parts_less_one] = least_partition(graph);
    const PartitionBound bound = bound_of(graph);
    EXPECT_EQ(bound.links * parts_less_one, links * bound.parts_less_one);
    const PackedTrees trees = all_reduce_trees(graph);
    for (const TreePacking& packing : trees.packings()) {
      test::expect_packing(packing, graph, trees.use());
      EXPECT_EQ(packing.trees.size(), links * most_slots(packing) / parts_less_one);
    }
  }
}

TEST(PackedTrees, OfLargerRandomGraphsReachTheirBound) {
  std::mt19937_64 random(6);
  for (int number = 0; number < 100; ++number) {
    const RankGraph graph = random_graph(random, 10 + static_cast<std::uint32_t>(random() % 40), 1);
    const PackedTrees trees = all_reduce_trees(graph);
    for (const TreePacking& packing : trees.packings()) test::expect_packing(packing, graph, trees.use());
    const TreePacking& best = trees.packings().back();
    const PartitionBound bound = bound_of(graph);
    EXPECT_EQ(best.trees.size(), bound.links * most_slots(best) / bound.parts_less_one);
  }
}

TEST(LinkSchedule, GivesALinkToOneChunkAtATime) {
  std::mt19937_64 random(7);
  for (int number = 0; number < 30; ++number) {
    PackedTrees trees =
        all_reduce_trees(random_graph(random, 2 + static_cast<std::uint32_t>(random() % 20), 1));
    const std::uint32_t lag = 1 + static_cast<std::uint32_t>(random() % 4);
    for (std::size_t of = 0; of < trees.packings().size(); ++of) {
      const TreePacking& packing = trees.packings()[of];
      const auto schedule = trees.schedule(of, lag);
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken;
      for (std::uint32_t t = 0; t < packing.trees.size(); ++t) {
        const Tree& tree = packing.trees[t];
        for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) {
          if (tree.is_root(rank)) continue;
          const std::uint32_t parent = tree.parent(rank), up = schedule->up(t, rank),
                              down = schedule->down(t, rank);
          EXPECT_TRUE(taken.emplace(rank, parent, up % schedule->period()).second);
          EXPECT_TRUE(taken.emplace(parent, rank, down % schedule->period()).second);
          if (tree.is_root(parent)) {
            EXPECT_GE(down, up + lag);
          } else {
            EXPECT_GE(schedule->up(t, parent), up + lag);
            EXPECT_GE(down, schedule->down(t, parent) + lag);
          }
        }
      }
      // Each chunk as the schedule has it is what as early as possible cannot be later than.
      const std::size_t links = trees.graph().links.size(), ranks = trees.graph().ranks;
      ChunkTimes times{std::vector<TimePs>(links, 100), std::vector<TimePs>(links, TimePs{100} * (lag - 1)),
                       std::vector<TimePs>(ranks, 0), std::vector<TimePs>(ranks, 0)};
      EXPECT_LE(schedule->end_ps(9, times),
                (8 * schedule->period() + schedule->first_chunk_ticks() + lag - 1) * 100U);
      // Through a slow port all that a rank sends goes one after the other.
      times.out_ps[0] = 1000;
      std::uint64_t sent = 0;  // by rank 0, of a chunk of all trees
      for (const Tree& tree : packing.trees) sent += tree.children(0).size() + (tree.is_root(0) ? 0 : 1);
      EXPECT_GE(schedule->busiest_ps(times), sent * 1000);
      EXPECT_GE(schedule->end_ps(9, times), 9 * sent * 1000);
    }
  }
}

// What planning costs, counted: ranks that the packer's searches look at, for all packings of a mesh.
TEST(PackedTrees, ArePackedWithFewSearches) {
  for (const auto& [side, most_searched] : {std::pair{4U, 15'000U}, {8U, 170'000U}, {16U, 4'100'000U}}) {
    TreePacker packer{UndirectedRanks(mesh_graph(side, side))};
    for (std::uint32_t slots = 1; slots <= 64; slots *= 2)
      packer.pack(std::vector<std::uint32_t>(packer.graph().links.size(), slots));
    EXPECT_LE(packer.searched(), most_searched) << side;
  }
}

// A row of three, of which the middle one has failed.
TEST(PackedTrees, NeedRoutesThatJoinTheGroup) {
  MeshParams mesh;
  mesh.width = 3;
  mesh.height = 1;
  mesh.link_bytes_per_s = mesh.injection_bytes_per_s = mesh.ejection_bytes_per_s = 1'000'000'000;
  const auto refused = [&](const Group& group) {
    FabricTraits row;
    row.topology = std::make_shared<MeshTopology>(mesh);
    try {
      plan_collective({CollectiveType::all_reduce, group, 4096, "packed_trees", 0}, row);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what()).find("packed_trees NPUs that routes join to a whole") !=
             std::string::npos;
    }
    return false;
  };
  EXPECT_FALSE(refused(test::npus({0, 2})));
  mesh.failed_routers = {static_cast<NpuId>(1)};
  EXPECT_TRUE(refused(test::npus({0, 2})));
  EXPECT_TRUE(refused(test::npus({0})));
}

}  // namespace
}  // namespace wafertlm
