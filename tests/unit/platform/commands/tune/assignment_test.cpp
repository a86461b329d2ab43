// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/assignment.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/support/random_cases.h"

namespace wafertlm::backends {
namespace {

constexpr TimePs kCannot = SequenceCosts::kCannot;

/// All choices in turn.
TimePs exhaustive_ps(const SequenceCosts& costs, std::size_t operation, std::size_t before, TimePs so_far) {
  if (operation == costs.operations.size()) return so_far;
  TimePs best = kCannot;
  for (std::size_t each = 0; each < costs.change.size(); ++each) {
    if (costs.operations[operation][each] == kCannot) continue;
    const TimePs change = operation > 0 && each != before ? costs.change[before][each] : 0;
    best = std::min(
        best, exhaustive_ps(costs, operation + 1, each, so_far + change + costs.operations[operation][each]));
  }
  return best;
}

SequenceCosts random_costs(std::mt19937_64& random) {
  SequenceCosts costs;
  const std::size_t backends = 1 + random() % 4, operations = 1 + random() % 6;
  costs.change.assign(backends, std::vector<TimePs>(backends, 0));
  for (std::size_t i = 0; i < backends; ++i)
    for (std::size_t j = 0; j < backends; ++j)
      if (i != j) costs.change[i][j] = random() % 30;
  for (std::size_t i = 0; i < operations; ++i) {
    costs.operations.emplace_back();
    for (std::size_t j = 0; j < backends; ++j)
      costs.operations.back().push_back(random() % 8 == 0 ? kCannot : random() % 50);
  }
  return costs;
}

TEST(BackendAssignment, ShortestPathIsTheBestOfAllChoices) {
  std::mt19937_64 random(31);
  std::size_t impossible = 0, better = 0;
  for (int i = 0; i < test::random_cases(1000, 1000); ++i) {
    const SequenceCosts costs = random_costs(random);
    const TimePs best = exhaustive_ps(costs, 0, 0, 0);
    const Assignment found = shortest_path(costs), each = fastest_of_each(costs);
    ASSERT_EQ(found.is_possible(costs), best != kCannot);
    if (best == kCannot) {
      ++impossible;
      EXPECT_FALSE(each.is_possible(costs));
      continue;
    }
    ASSERT_EQ(found.time_ps, best);
    ASSERT_EQ(priced(costs, found.backend).time_ps, best);
    EXPECT_GE(each.time_ps, best);
    if (each.time_ps > best) ++better;
    for (std::size_t b = 0; b < costs.change.size(); ++b)
      if (const Assignment alone = single(costs, b); alone.is_possible(costs)) {
        EXPECT_GE(alone.time_ps, best);
      }
  }
  EXPECT_GT(impossible, 10U);
  EXPECT_GT(better, 300U);  // where a change costs, the minimum of each call is not the best
}

TEST(BackendAssignment, AChangeMustPay) {
  SequenceCosts costs;
  costs.operations = {{10, 20}, {12, 10}, {10, 20}};
  costs.change = SequenceCosts::equal_change(2, 1);
  EXPECT_EQ(fastest_of_each(costs).time_ps, 32U);
  EXPECT_EQ(fastest_of_each(costs).changes, 2U);
  EXPECT_EQ(shortest_path(costs).backend, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(shortest_path(costs).time_ps, 32U);
  costs.operations[1] = {13, 10};
  EXPECT_EQ(shortest_path(costs).backend, (std::vector<std::size_t>{0, 1, 0}));
  costs.change[0][1] = 3;
  EXPECT_EQ(shortest_path(costs).time_ps, 33U);
  EXPECT_EQ(shortest_path(costs).changes, 0U);
  EXPECT_EQ(single(costs, 1).time_ps, 50U);
}

TEST(BackendAssignment, RefusesWhatIsNoProblem) {
  SequenceCosts costs;
  EXPECT_THROW(shortest_path(costs), std::invalid_argument);
  costs.change = SequenceCosts::equal_change(2, 1);
  EXPECT_TRUE(shortest_path(costs).backend.empty());
  costs.operations = {{1}};
  EXPECT_THROW(shortest_path(costs), std::invalid_argument);
  costs.operations = {{kCannot, 1}};
  EXPECT_THROW(priced(costs, {0}), std::invalid_argument);
  costs.operations = {{kCannot >> 1, kCannot}, {1, kCannot}};
  EXPECT_THROW(shortest_path(costs), std::overflow_error);
}

}  // namespace
}  // namespace wafertlm::backends
