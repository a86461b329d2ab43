// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/planner.h"

#include <gtest/gtest.h>

#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/algorithm/tree.h"
#include "workloads/collectives/basic/hierarchical.h"

namespace wafertlm {
namespace {

using test::first_npus;
using test::npus;
using test::wafer_of;

TEST(Planner, TheRingOfARectangleWithAnEvenSideIsACycleOfNeighbours) {
  for (std::uint32_t w = 2; w <= 6; ++w)
    for (std::uint32_t h = 2; h <= 6; ++h) {
      if (w % 2 == 1 && h % 2 == 1) continue;
      const FabricTraits traits = wafer_of(w, h);
      const Topology& mesh = *traits.topology;
      const Group group = first_npus(w * h);
      const std::vector<std::uint32_t> order = mesh.ring_order(group);
      for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(mesh.hops(group[order[i]], group[order[(i + 1) % order.size()]]), 1U) << w << "x" << h;
    }
}

TEST(Planner, RefusesWhatCannotBe) {
  const FabricTraits wafer = wafer_of(5, 4);
  const auto refused = [&](const CollectiveRequest& request, const std::string& part) {
    try {
      plan_collective(request, wafer);
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused({CollectiveType::all_reduce, {}, 4, "", 1}, "at least one");
  refused({CollectiveType::all_reduce, npus({20}), 4, "", 1}, "not on the wafer");
  refused({CollectiveType::all_reduce, npus({1, 1}), 4, "", 1}, "twice");
  refused({CollectiveType::all_to_all, first_npus(4), 4, "ring", 1}, "it can as direct");
  refused({CollectiveType::broadcast, first_npus(4), 4, "", 1, 4}, "root 4");
  refused({CollectiveType::barrier, first_npus(4), 1024, "", 1}, "no data");
  refused({CollectiveType::all_reduce, first_npus(5), 4, "hierarchical_2d", 1}, "full rectangle");
  refused({CollectiveType::all_reduce, npus({0, 1, 5}), 4, "hierarchical_2d", 1}, "full rectangle");
}

std::string choice(CollectiveType type, const Group& group, std::uint64_t bytes) {
  return planner_choices({type, group, 0, "", 0}, {bytes}, wafer_of(5, 4)).front().algorithm;
}

TEST(Planner, ChoosesByShapeAndSize) {
  const std::uint64_t large = std::uint64_t{1} << 30;
  const Group all = first_npus(20), row = npus({5, 6, 7, 8, 9}), square = npus({0, 1, 5, 6});
  EXPECT_EQ(choice(CollectiveType::all_reduce, all, large), "hierarchical_2d");
  EXPECT_EQ(choice(CollectiveType::all_reduce, square, large), "hierarchical_2d");
  EXPECT_EQ(choice(CollectiveType::all_reduce, row, large), "ring");
  EXPECT_EQ(choice(CollectiveType::all_gather, row, 64), "direct");
  EXPECT_EQ(choice(CollectiveType::all_reduce, npus({0, 19, 7}), large), "ring");
  EXPECT_EQ(choice(CollectiveType::all_reduce, all, 4096), "tree");
  EXPECT_EQ(choice(CollectiveType::all_gather, all, 4096), "direct");
  EXPECT_EQ(choice(CollectiveType::all_to_all, all, large), "direct");
  EXPECT_EQ(choice(CollectiveType::broadcast, all, large), "tree");
  EXPECT_EQ(choice(CollectiveType::barrier, all, 0), "tree");
}

TEST(Planner, AnAlgorithmMayBeNamed) {
  for (const CollectiveType type : kCollectiveTypes)
    for (const bool in_network : {false, true}) {
      FabricTraits wafer = wafer_of(5, 4);
      wafer.in_network = in_network;
      for (const std::string& name : algorithms_for(type, first_npus(20), wafer))
        EXPECT_EQ(plan_collective({type, first_npus(20), 0, name, 0}, wafer)->algorithm, name);
    }
}

// Small messages, and types that have no rule.
TEST(Planner, ItsChoiceIsWithin2PercentOfTheBestPrediction) {
  std::mt19937_64 random(3);
  for (int number = 0; number < 200; ++number) {
    const FabricTraits wafer =
        wafer_of(1 + static_cast<std::uint32_t>(random() % 6), 1 + static_cast<std::uint32_t>(random() % 6));
    const CollectiveType type = kCollectiveTypes[random() % std::size(kCollectiveTypes)];
    CollectiveRequest request{type, test::random_group(random, wafer.npus()), 0, "", 0};
    const bool rule = type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
                      type == CollectiveType::reduce_scatter;
    if (type != CollectiveType::barrier) request.bytes = std::uint64_t{4} << random() % (rule ? 8 : 24);
    const PlannerChoice chosen = planner_choices(request, {request.bytes}, wafer).front();
    EXPECT_GE(chosen.predicted_ps, chosen.bound_ps);
    for (const std::string& name : algorithms_for(type, request.group, wafer)) {
      if (algorithm_named(name).only_by_name) continue;
      request.algorithm = name;
      const PlannerChoice named = planner_choices(request, {request.bytes}, wafer).front();
      EXPECT_LE(static_cast<double>(chosen.predicted_ps), 1.02 * static_cast<double>(named.predicted_ps))
          << to_string(type) << ": " << chosen.algorithm << " instead of " << name;
    }
  }
}

/// Bytes that a program puts on its busiest link.
std::uint64_t busiest_bytes(const CollectiveProgram& program, const FabricTraits& wafer) {
  const auto loads = wafer.topology->link_loads();
  for (std::uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    for (std::uint32_t threadblock = 0; threadblock < program.ranks[rank]->threadblocks(); ++threadblock)
      for (std::uint32_t index = 0; index < program.ranks[rank]->steps(threadblock); ++index) {
        const Step step = program.ranks[rank]->step(threadblock, index);
        if (step.kind == Step::Kind::send)
          loads->add(program.group[rank], program.group[step.peer], step.bytes);
      }
  return loads->busiest_bytes();
}

// 5x4: 1.6 (x + (1 - x) / 4) = 1.5 (1 - x + x / 5) = 0.95 at x = 11/24.
// What is done at the endpoints when flows cannot be carried is what the planner chooses there, whatever was
// asked for.
TEST(Planner, StepsToFallBackOnAreItsChoiceWithoutTheNetwork) {
  const auto fred = config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/fred_d.yaml",
                                          {"wafer.fabric.flow_conflict=decompose"});
  const FabricTraits traits = fabric_kind(fred.wafer).traits(fred.wafer);
  ASSERT_TRUE(traits.flows_decompose);
  FabricTraits endpoints = traits;
  endpoints.in_network = false;
  for (const CollectiveType type : {CollectiveType::all_reduce, CollectiveType::barrier}) {
    CollectiveRequest request{type, {NpuId{0}, NpuId{1}, NpuId{5}, NpuId{9}}, 0, "", 0};
    if (type != CollectiveType::barrier) request.bytes = 1 << 20;
    const auto choice = plan_collective(request, endpoints);
    request.algorithm = plan_collective(request, traits)->algorithm;
    if (type != CollectiveType::barrier) request.chunks = choice->chunks + 3;
    const auto program = plan_collective(request, traits);
    ASSERT_TRUE(program->decomposed);
    EXPECT_NE(program->algorithm, choice->algorithm);
    EXPECT_EQ(program->decomposed->algorithm, choice->algorithm);
    EXPECT_EQ(program->decomposed->chunks, choice->chunks);
    EXPECT_EQ(program->decomposed->bytes, choice->bytes);
  }
}

TEST(Hierarchical, BothDimensionsCarryTheSame) {
  const FabricTraits wafer = wafer_of(5, 4);
  const std::uint64_t bytes = 24 * 20 * 64 * 4;
  const CollectiveRequest request{CollectiveType::all_reduce, first_npus(20), bytes, "hierarchical_2d", 1};
  EXPECT_EQ(busiest_bytes(*plan_collective(request, wafer), wafer), bytes / 20 * 19);
  for (std::uint32_t w = 2; w <= 9; ++w)
    for (std::uint32_t h = 2; h <= 9; ++h) {
      const HierarchicalPlan plan(CollectiveType::all_reduce, w, h, std::vector<std::uint32_t>(w * h), 0, 1);
      const std::uint64_t whole = 4 * 2 * (w - 1) * (h - 1);
      const double x = static_cast<double>(plan.share_of_part_0(whole)) / static_cast<double>(whole);
      const double rows = 2. * (w - 1) / w * (x + (1 - x) / h), columns = 2. * (h - 1) / h * (1 - x + x / w);
      EXPECT_NEAR(rows, columns, 1e-12) << w << "x" << h;
    }
}

// Of two that are as far from the root the lower rank joins first, and the other one joins there.
TEST(Trees, LowerRanksJoinFirst) {
  const FabricTraits wafer = wafer_of(5, 4);
  const auto parents = [&](const Group& group) { return wafer.topology->spanning_parents(group, 0); };
  using Parents = std::vector<std::uint32_t>;
  const NpuId corner{0}, along{3}, beside{7};  // (0, 0), (3, 0), (2, 1): 3, 3 and 2 hops between them
  EXPECT_EQ(parents({corner, along, beside}), (Parents{0, 0, 1}));
  EXPECT_EQ(parents({corner, beside, along}), (Parents{0, 0, 1}));
  EXPECT_EQ(parents({corner, along, NpuId{5}, beside}), (Parents{0, 3, 0, 2}));  // (0, 1) is nearer to all
}

TEST(Trees, OfARectangleAreOfNeighboursAndAsDeepAsItIsWide) {
  const FabricTraits wafer = wafer_of(5, 4);
  const Group all = first_npus(20);
  for (std::uint32_t root = 0; root < 20; ++root) {
    const Tree tree(wafer.topology->spanning_parents(all, root));
    EXPECT_EQ(tree.root(), root);
    for (std::uint32_t rank = 0; rank < 20; ++rank) {
      EXPECT_EQ(tree.depth(rank), wafer.topology->hops(all[root], all[rank]));
      EXPECT_EQ(wafer.topology->hops(all[rank], all[tree.parent(rank)]), rank == root ? 0U : 1U);
    }
  }
}

// Both trees reach all ranks in log2 depth; who has children in one has none in the other, but for two ranks.
TEST(Trees, OfTheDoubleBinaryTree) {
  for (std::uint32_t p = 2; p <= 130; ++p) {
    std::vector<std::uint32_t> order(p);
    for (std::uint32_t i = 0; i < p; ++i) order[i] = i;
    const std::vector<Tree> trees = double_binary_trees(order);
    std::uint32_t both = 0, levels = 0;
    while ((1U << levels) < p) ++levels;
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      if (!trees[0].children(rank).empty() && !trees[1].children(rank).empty()) ++both;
      for (const Tree& tree : trees) {
        EXPECT_LE(tree.depth(rank), levels + 1);
        EXPECT_LE(tree.children(rank).size(), 2U);
        EXPECT_EQ(tree.preorder().size(), p);
      }
    }
    EXPECT_LE(both, 2U) << p;
  }
}

}  // namespace
}  // namespace wafertlm
