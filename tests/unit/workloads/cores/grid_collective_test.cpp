// SPDX-License-Identifier: Apache-2.0
// Programs of collectives on cores against the closed forms of Luczynski et al., "Near-Optimal Wafer-Scale
// Reduce" (HPDC 2024, arXiv 2404.15888).
#include "workloads/cores/grid_collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "models/cores/core_grid.h"
#include "workloads/cores/reduction_tree.h"
#include "workloads/cores/tree_search.h"

namespace wafertlm::cores {
namespace {

using Type = GridCollectiveType;

constexpr std::uint32_t kPlaces[] = {4, 8, 16, 64, 256, 512};
constexpr std::uint32_t kWavelets[] = {1, 2, 16, 64, 512, 1024, 8192};

Cycle simulated(const GridCollective& what, const char* algorithm) {
  const CoreParams params;
  const CoreProgram program = grid_algorithm(algorithm, what.type).program(what, params);
  return run_cores(program, params).cycles;
}

double published(const GridCollective& what, const char* algorithm) {
  return grid_algorithm(algorithm, what.type).published(what, CoreParams{});
}

void expect_published(Type type, const char* algorithm, double more = 0) {
  for (const std::uint32_t places : kPlaces)
    for (const std::uint32_t wavelets : kWavelets) {
      const GridCollective what{type, places, 1, wavelets};
      EXPECT_EQ(static_cast<double>(simulated(what, algorithm)), published(what, algorithm) + more)
          << algorithm << ", P " << places << ", B " << wavelets;
    }
}

TEST(GridCollective, AChainIsThePublishedFormula) {
  EXPECT_EQ(published({Type::reduce, 8, 1, 64}, "chain"), 64 + 6 * 7);
  expect_published(Type::reduce, "chain");
}
// The formula leaves out the hop of the nearest core's first wavelet.
TEST(GridCollective, AStarTakesACycleMoreThanTheFormula) {
  EXPECT_EQ(published({Type::reduce, 8, 1, 64}, "star"), 64 * 7 + 5);
  expect_published(Type::reduce, "star", 1);
}
TEST(GridCollective, ABinomialTreeIsTheModel) {
  EXPECT_EQ(published({Type::reduce, 16, 1, 64}, "tree"), 64 * 4 + 15 + 5 * 4);
  expect_published(Type::reduce, "tree");
}
TEST(GridCollective, AMulticastIsTheModel) {
  EXPECT_EQ(published({Type::broadcast, 8, 1, 64}, "multicast"), 64 + 7 + 5);
  expect_published(Type::broadcast, "multicast");
}
TEST(GridCollective, TwoPhasesAreTheModelWhereGroupsAreEqual) {
  for (const std::uint32_t places : {4U, 16U, 64U, 256U, 400U})
    for (const std::uint32_t wavelets : kWavelets) {
      const GridCollective what{Type::reduce, places, 1, wavelets};
      EXPECT_EQ(static_cast<double>(simulated(what, "two_phase")), published(what, "two_phase")) << places;
    }
}
TEST(GridCollective, ARingIsThePublishedFormulaWhereBlocksAreEqual) {
  EXPECT_EQ(published({Type::all_reduce, 8, 1, 64}, "ring"), 2 * 7 * 8 + 26 + 2 * 7 * 5);
  for (const std::uint32_t places : kPlaces)
    for (const std::uint32_t blocks : {1U, 2U, 8U, 16U}) {
      const GridCollective what{Type::all_reduce, places, 1, places * blocks};
      EXPECT_EQ(static_cast<double>(simulated(what, "ring")), published(what, "ring"))
          << places << " " << blocks;
    }
}

/// Sums reach their root, results everybody, never before the bound or the busiest link and core.
TEST(GridCollective, RandomOnesAreRightAndNotTooFast) {
  std::mt19937 engine(11);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  const CoreParams params;
  for (int test = 0; test < 400; ++test) {
    GridCollective what;
    what.columns = 1 + random() % 13;
    what.rows = 1 + random() % 13;
    what.wavelets = 1 + random() % 50;
    what.type = static_cast<Type>(random() % 3);
    for (const GridAlgorithm& each : grid_algorithms()) {
      if (!each.does(what.type)) continue;
      const CoreProgram program = each.program(what, params);
      std::vector<std::uint64_t> values(program.cores.size() * program.blocks);
      std::vector<std::uint64_t> sums(program.blocks, 0);
      for (std::size_t k = 0; k < values.size(); ++k) sums[k % program.blocks] += values[k] = random();
      const std::uint64_t first = values[0];
      const CoreRun run = run_cores(program, params, {}, values);
      const auto expect_at = [&](std::size_t core) {
        for (std::uint32_t block = 0; block < program.blocks; ++block) {
          // The ring's blocks beyond the line's length, or without a wavelet, stay as they were.
          if (program.blocks > 1 && (block >= std::min(what.columns, what.rows) || block >= what.wavelets))
            continue;
          ASSERT_EQ(run.values[core * program.blocks + block],
                    what.type == Type::broadcast ? first : sums[block])
              << each.name << " " << what.columns << "x" << what.rows << ", core " << core;
        }
      };
      if (what.type == Type::reduce)
        expect_at(root_of(each, what));
      else if (std::string(each.name) != "ring" || what.columns == 1 || what.rows == 1 ||
               what.columns == what.rows)
        for (std::size_t core = 0; core < program.cores.size(); ++core) expect_at(core);
      EXPECT_GE(run.cycles, least_cycles(what, params)) << each.name;
      EXPECT_GE(run.cycles, run.busiest_link);
      EXPECT_GE(run.cycles, run.busiest_core);
      EXPECT_LE(program.colours, params.colours);
    }
  }
}

TEST(TreeSearch, IsNeverBehindTheTreesWithNames) {
  for (const std::uint32_t places : {2U, 3U, 5U, 17U, 64U, 100U})
    for (const std::uint32_t wavelets : {1U, 7U, 64U, 1000U}) {
      const double found = modelled_cycles(cost_of(searched_tree(places, wavelets, 2), wavelets), 2);
      for (const auto& tree :
           {star_tree(places), chain_tree(places), binomial_tree(places), two_phase_tree(places)})
        EXPECT_LE(found, modelled_cycles(cost_of(tree, wavelets), 2)) << places << " " << wavelets;
    }
}

/// All trees of a few places whose subtrees are runs of neighbours, one by one.
double least_of_all(std::uint32_t places, std::uint32_t wavelets) {
  double least = 1e18;
  std::vector<std::uint32_t> parent(places, 0);
  const std::function<void(std::uint32_t)> choose = [&](std::uint32_t place) {
    if (place == places) {
      ReductionTree tree{std::vector<std::vector<std::uint32_t>>(places), 0, std::vector<bool>(places, true)};
      for (std::uint32_t k = 1; k < places; ++k) tree.children[parent[k]].push_back(k);
      least = std::min(least, modelled_cycles(cost_of(tree, wavelets), 2));
      return;
    }
    // The place before, or one of those that it hangs from.
    for (std::uint32_t up = place - 1;; up = parent[up]) {
      parent[place] = up;
      choose(place + 1);
      if (up == 0) break;
    }
  };
  choose(1);
  return least;
}

TEST(TreeSearch, FindsTheLeastOfAllTrees) {
  for (std::uint32_t places = 2; places < 10; ++places)
    for (const std::uint32_t wavelets : {1U, 2U, 5U, 20U, 100U})
      EXPECT_EQ(modelled_cycles(cost_of(searched_tree(places, wavelets, 2), wavelets), 2),
                least_of_all(places, wavelets))
          << places << " " << wavelets;
}

TEST(GridCollective, AnUnknownOneNamesThoseThatThereAre) {
  try {
    grid_algorithm("chian", Type::broadcast);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no algorithm 'chian' for it; there are: multicast");
  }
}

}  // namespace
}  // namespace wafertlm::cores
