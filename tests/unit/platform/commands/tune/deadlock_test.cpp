// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/deadlock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/support/random_cases.h"

namespace wafertlm::backends {
namespace {

/// Hosts and engines, moved on one by one in a random order until none can: whether all operations got done.
bool gets_done(const IssuePlan& plan, std::mt19937_64& random) {
  struct Rank {
    std::size_t issued = 0;
    std::map<std::string, std::deque<std::size_t>> engines;
  };
  std::vector<Rank> ranks(plan.ranks.size());
  std::vector<std::set<std::uint32_t>> joined(plan.operations.size());
  std::set<std::size_t> done;
  for (bool moved = true; moved;) {
    moved = false;
    std::vector<std::uint32_t> order(ranks.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t each : order) {
      Rank& rank = ranks[each];
      const auto& issues = plan.ranks[each];
      const bool stands = rank.issued > 0 && issues[rank.issued - 1].blocks &&
                          done.count(issues[rank.issued - 1].operation) == 0;
      if (rank.issued < issues.size() && !stands) {
        const std::size_t next = issues[rank.issued++].operation;
        rank.engines[plan.operations[next].engine].push_back(next);
        moved = true;
      }
      for (auto& [name, queue] : rank.engines) {
        if (queue.empty()) continue;
        const std::size_t held = queue.front();
        if (joined[held].insert(each).second) moved = true;
        if (joined[held].size() < plan.operations[held].ranks.size()) continue;
        done.insert(held);
        queue.pop_front();
        moved = true;
      }
    }
  }
  return done.size() == plan.operations.size();
}

IssuePlan random_plan(std::mt19937_64& random) {
  IssuePlan plan;
  const std::size_t ranks = 1 + random() % 4, operations = 1 + random() % 6;
  const std::uint64_t engines = 1 + random() % 3, blocking = 2 + random() % 6;
  plan.ranks.resize(ranks);
  for (std::size_t i = 0; i < operations; ++i) {
    GroupOperation made{std::string(1, static_cast<char>('A' + i)), "", "", {}};
    made.backend = std::string(1, static_cast<char>('X' + random() % 3));
    made.engine = "engine" + std::to_string(random() % engines);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      if (random() % 2 == 0) made.ranks.push_back(rank);
    if (made.ranks.empty()) made.ranks.push_back(static_cast<std::uint32_t>(random() % ranks));
    for (const std::uint32_t rank : made.ranks) plan.ranks[rank].push_back({i, random() % blocking == 0});
    plan.operations.push_back(std::move(made));
  }
  for (auto& rank : plan.ranks) {
    const std::size_t swaps = random() % 3;
    for (std::size_t i = 0; i < swaps && rank.size() > 1; ++i)
      std::swap(rank[random() % rank.size()], rank[random() % rank.size()]);
  }
  return plan;
}

std::size_t place_of(const std::vector<Issue>& issues, std::size_t operation) {
  std::size_t place = 0;
  while (issues[place].operation != operation) ++place;
  return place;
}

TEST(BackendDeadlock, IsFoundIffTheEnginesStop) {
  std::mt19937_64 random(8);
  std::size_t stopped = 0, blocked = 0;
  for (int i = 0; i < test::random_cases(4000, 1000); ++i) {
    const IssuePlan plan = random_plan(random);
    const std::vector<Wait> cycle = find_deadlock(plan);
    ASSERT_EQ(cycle.empty(), gets_done(plan, random)) << i;
    stopped += cycle.empty() ? 0 : 1;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const Wait& wait = cycle[k];
      ASSERT_EQ(wait.behind, cycle[(k + 1) % cycle.size()].operation);
      const auto& issues = plan.ranks[wait.rank];
      const std::size_t behind = place_of(issues, wait.behind), self = place_of(issues, wait.operation);
      ASSERT_LT(behind, self);
      if (wait.is_blocked) {
        ASSERT_TRUE(issues[behind].blocks);
        ++blocked;
      } else {
        ASSERT_EQ(plan.operations[wait.behind].engine, plan.operations[wait.operation].engine);
      }
    }
    ASSERT_TRUE(find_deadlock(with_one_order(plan)).empty());
    const IssuePlan own = with_own_engines(plan);
    ASSERT_EQ(find_deadlock(own).empty(), gets_done(own, random));
  }
  EXPECT_GT(stopped, 100U);
  EXPECT_GT(blocked, 20U);
}

/// Rank 0 issues A on X, then B on Y; rank 1 B, then A.
IssuePlan both_orders(const std::string& x_engine, const std::string& y_engine) {
  return {{{"A", "X", x_engine, {0, 1}}, {"B", "Y", y_engine, {0, 1}}}, {{{0}, {1}}, {{1}, {0}}}};
}

TEST(BackendDeadlock, BothOrdersWithOneEngine) {
  const IssuePlan plan = both_orders("gpu", "gpu");
  const std::vector<Wait> cycle = find_deadlock(plan);
  EXPECT_EQ(cycle, (std::vector<Wait>{{0, 1, 1, false}, {1, 0, 0, false}}));
  EXPECT_EQ(described(cycle, plan),
            (std::vector<std::string>{
                "A on X waits for rank 1, whose engine 'gpu' holds B on Y until all its ranks have joined",
                "B on Y waits for rank 0, whose engine 'gpu' holds A on X until all its ranks have joined"}));
  EXPECT_TRUE(find_deadlock(with_one_order(plan)).empty());
  EXPECT_TRUE(find_deadlock(with_own_engines(plan)).empty());
  EXPECT_TRUE(find_deadlock(both_orders("x", "y")).empty());
}

TEST(BackendDeadlock, BlockingCallsStopWithTwoEngines) {
  IssuePlan plan = both_orders("x", "y");
  plan.ranks[0][0].blocks = true;
  EXPECT_TRUE(find_deadlock(plan).empty());
  plan.ranks[1][0].blocks = true;
  const std::vector<Wait> cycle = find_deadlock(plan);
  EXPECT_EQ(cycle, (std::vector<Wait>{{0, 1, 1, true}, {1, 0, 0, true}}));
  EXPECT_EQ(described(cycle, plan).front(), "A on X waits for rank 1, which stands still in B on Y");
}

TEST(BackendDeadlock, AnEngineForEachBackendDoesNotCureOneBackend) {
  IssuePlan plan = both_orders("gpu", "gpu");
  plan.operations[1].backend = "X";
  EXPECT_FALSE(find_deadlock(with_own_engines(plan)).empty());
  EXPECT_TRUE(find_deadlock(with_one_order(plan)).empty());
}

TEST(BackendDeadlock, OfThreeRanksIsShown) {
  const IssuePlan plan{{{"A", "X", "e", {0, 1}}, {"B", "X", "e", {1, 2}}, {"C", "X", "e", {0, 2}}},
                       {{{0}, {2}}, {{1}, {0}}, {{2}, {1}}}};
  EXPECT_EQ(find_deadlock(plan).size(), 3U);
}

void expect_plan_refused(const IssuePlan& plan, const std::string& part) {
  try {
    find_deadlock(plan);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(BackendDeadlock, RefusesPlansThatDoNotFit) {
  IssuePlan plan = both_orders("x", "y");
  plan.ranks[1].pop_back();
  expect_plan_refused(plan, "'A': rank 1 never issues it");
  plan.ranks[1].push_back({1});
  expect_plan_refused(plan, "'B': rank 1 issues it twice");
  plan.ranks[1].back().operation = 7;
  expect_plan_refused(plan, "rank 1 issues what is no operation");
  plan = both_orders("x", "y");
  plan.operations[0].ranks = {0};
  expect_plan_refused(plan, "'A': rank 1 issues it and is none of its ranks");
  plan.operations[0].ranks = {};
  expect_plan_refused(plan, "'A' has no ranks");
  plan.operations[0].ranks = {0, 0};
  expect_plan_refused(plan, "'A': rank 0 is named twice");
  plan.operations[0].ranks = {0, 2};
  expect_plan_refused(plan, "'A': rank 2 issues nothing");
}

}  // namespace
}  // namespace wafertlm::backends
