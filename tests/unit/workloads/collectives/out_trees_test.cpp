// SPDX-License-Identifier: Apache-2.0
// Packed out-trees: as near to the tightest cut of all sets of ranks as whole slots allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "tests/unit/workloads/collectives/rank_graphs.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/packed_trees/link_schedule.h"
#include "workloads/collectives/packed_trees/out_trees.h"

namespace wafertlm {
namespace {

/// What each root gets of the graph: trees over the time of a period, which the busiest link sets.
double rate_of(const TreePacking& packing, const RankGraph& graph, const TreeUse& use, std::size_t trees) {
  std::vector<double> load(graph.links.size(), 0);
  for (const Tree& tree : packing.trees)
    for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) {
      if (tree.is_root(rank)) continue;
      const std::uint32_t parent = tree.parent(rank);
      load[use.up ? graph.number(rank, parent) : graph.number(parent, rank)] += 1;
    }
  double period = 0;
  for (std::size_t link = 0; link < load.size(); ++link)
    period = std::max(period, load[link] / static_cast<double>(graph.links[link].bytes_per_s));
  return static_cast<double>(trees) / period;
}

/// The least rate over all sets of ranks. `members`: what leaves a set is shared by those in it; else all of
/// it is the root's, who is in the set.
double least_cut(const RankGraph& graph, const TreeUse& use) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t set = 1; set + 1 < 1U << graph.ranks; ++set) {
    const auto inside = [&](std::uint32_t rank) { return (set >> rank & 1U) != 0; };
    double rate = 0, count = 0;
    for (const RankGraph::Link& link : graph.links)
      if (inside(use.up ? link.to : link.from) && !inside(use.up ? link.from : link.to))
        rate += static_cast<double>(link.bytes_per_s);
    for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) count += inside(rank) ? 1 : 0;
    if (use.roots == TreeUse::Roots::every)
      least = std::min(least, rate / count);
    else if (inside(use.root))
      least = std::min(least, rate);
  }
  return least;
}

constexpr CollectiveType kOutTreeTypes[] = {CollectiveType::all_gather, CollectiveType::reduce_scatter,
                                            CollectiveType::broadcast, CollectiveType::reduce};

std::size_t trees_of_root(const TreePacking& packing) {
  return packing.trees_per_block == 0 ? packing.trees.size() : packing.trees_per_block;
}

TEST(OutTrees, OfSmallRandomGraphsReachTheLeastCut) {
  std::mt19937_64 random(11);
  for (int number = 0; number < 120; ++number) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 6);
    const std::uint64_t most_rate = number % 3 == 0 ? 1 : number % 3 == 1 ? 4 : 100;
    const RankGraph graph = test::random_graph(random, ranks, most_rate);
    for (const CollectiveType type : kOutTreeTypes) {
      const TreeUse use = tree_use(type, static_cast<std::uint32_t>(random() % ranks)).value();
      const std::vector<TreePacking> packings = packings_of(graph, use);
      const double limit = least_cut(graph, use);
      for (const TreePacking& packing : packings) {
        test::expect_packing(packing, graph, use);
        EXPECT_LE(rate_of(packing, graph, use, trees_of_root(packing)), limit * (1 + 1e-9));
      }
      const TreePacking& best = packings.back();
      // Links that are all alike have whole slots; the others are rounded down to 1/16 of the fastest, and
      // few.
      const double part = most_rate == 1                     ? 1 - 1e-9
                          : most_rate == 4                   ? 0.985
                          : use.roots == TreeUse::Roots::one ? 0.5
                                                             : 0.93;
      EXPECT_GE(rate_of(best, graph, use, trees_of_root(best)), limit * part)
          << to_string(type) << ", graph " << number;
    }
  }
}

// The corner gets all other blocks over two links: 2/19 of one for each root of 5 x 4, 2/63 of 8 x 8.
TEST(OutTrees, OfMeshesFillTheCorner) {
  for (const auto& [width, height, slots] : {std::tuple{5U, 4U, 19U}, {8U, 8U, 63U}}) {
    const RankGraph graph =
        direct_links(test::first_npus(width * height), test::wafer_of(width, height)).value();
    for (const CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
      const TreePacking best = packings_of(graph, tree_use(type, 0).value()).back();
      EXPECT_EQ(best.trees_per_block, 2U);
      EXPECT_EQ(*std::max_element(best.slots.begin(), best.slots.end()), slots);
    }
    // Two links leave it, each for one tree.
    const TreePacking best = packings_of(graph, tree_use(CollectiveType::broadcast, 0).value()).back();
    EXPECT_EQ(best.trees.size(), 2U);
    EXPECT_EQ(*std::max_element(best.slots.begin(), best.slots.end()), 1U);
  }
}

// A triangle in which 0 reaches 2 only over 1 has no two trees with one slot each.
TEST(OutTrees, AreNoneWhereThereCannotBeAny) {
  RankGraph graph;
  graph.ranks = 3;
  graph.links = {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}};
  EXPECT_EQ(exact_out_trees(graph, {1, 1, 1, 1}, {0}).size(), 1U);
  EXPECT_TRUE(exact_out_trees(graph, {1, 1, 1, 1}, {0, 0}).empty());
  EXPECT_EQ(exact_out_trees(graph, {2, 2, 2, 2}, {0, 0}).size(), 2U);
  EXPECT_TRUE(exact_out_trees(graph, {0, 1, 1, 1}, {0}).empty());
}

// Slots of unequal links do not overlap, and a rank passes on what it has.
TEST(OutTrees, HaveSchedulesWithoutCollisions) {
  std::mt19937_64 random(12);
  for (int number = 0; number < 30; ++number) {
    const RankGraph graph =
        test::random_graph(random, 2 + static_cast<std::uint32_t>(random() % 12), 1 + random() % 5);
    const TreeUse use = tree_use(kOutTreeTypes[random() % 4], 0).value();
    const TreePacking packing = packings_of(graph, use).back();
    const std::uint32_t lag = 1 + static_cast<std::uint32_t>(random() % 40);
    const LinkSchedule schedule(graph, packing, lag, use.up, use.down);
    std::set<std::pair<std::size_t, std::uint32_t>> taken;  // link, slot of the period
    for (std::size_t t = 0; t < packing.trees.size(); ++t)
      for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) {
        const Tree& tree = packing.trees[t];
        if (tree.is_root(rank)) continue;
        const std::uint32_t parent = tree.parent(rank);
        const std::size_t link = use.up ? graph.number(rank, parent) : graph.number(parent, rank);
        const std::uint32_t at = use.up ? schedule.up(t, rank) : schedule.down(t, rank);
        const std::uint64_t slots = packing.slots[link], in_period = at % schedule.period();
        // The slot that begins there, at the k-th part of the period, rounded up to a tick.
        const auto slot = static_cast<std::uint32_t>(in_period * slots / schedule.period());
        EXPECT_EQ(in_period, (slot * schedule.period() + slots - 1) / slots);
        EXPECT_TRUE(taken.emplace(link, slot).second);
        if (!tree.is_root(parent)) {
          const std::uint32_t next = use.up ? schedule.up(t, parent) : schedule.down(t, parent);
          EXPECT_GE(use.up ? next : at, (use.up ? at : next) + lag);
        }
      }
  }
}

// Both ways of a pair, or neither; each link of the wafer once.
TEST(DirectLinks, TakeRoutesThatShareNoLink) {
  std::mt19937_64 random(13);
  const FabricTraits wafer = test::wafer_of(6, 5);
  std::uint32_t longer = 0;
  for (int number = 0; number < 100; ++number) {
    Group group = test::random_group(random, 30);
    const auto graph = direct_links(group, wafer);
    if (!graph) continue;
    std::set<std::size_t> used;
    for (const RankGraph::Link& link : graph->links) {
      const auto route = wafer.topology->route(group[link.from], group[link.to]);
      for (const std::size_t part : route) EXPECT_TRUE(used.insert(part).second);
      longer += route.size() > 1 ? 1 : 0;
      const std::size_t back = graph->number(link.to, link.from);
      ASSERT_LT(back, graph->links.size());
      EXPECT_EQ(graph->links[back].to, link.from);
    }
  }
  EXPECT_GT(longer, 50U);
}

TEST(DirectLinks, LeaveOutWhatHasFailed) {
  MeshParams mesh;
  mesh.width = 3;
  mesh.height = 2;
  mesh.link_bytes_per_s = mesh.injection_bytes_per_s = mesh.ejection_bytes_per_s = 1'000'000'000;
  mesh.failed_links = {{static_cast<NpuId>(0), static_cast<NpuId>(1)}};
  const auto links_of = [&](const Group& group) {
    FabricTraits fabric;
    fabric.topology = std::make_shared<MeshTopology>(mesh);
    const auto graph = direct_links(group, fabric);
    return graph ? graph->links.size() : 0;
  };
  const auto links_of_six = [&] { return links_of(test::first_npus(6)); };
  EXPECT_EQ(links_of_six(), 12U);  // 7 pairs of neighbours, of which one has failed
  mesh.failed_links.clear();
  EXPECT_EQ(links_of_six(), 14U);
  mesh.failed_routers = {static_cast<NpuId>(4)};
  EXPECT_EQ(links_of_six(), 0U);
  EXPECT_EQ(links_of(test::npus({0, 1, 2, 3, 5})), 8U);
}

}  // namespace
}  // namespace wafertlm
