// SPDX-License-Identifier: Apache-2.0
// Golden numbers: computed independently (../shared/reference/tuning.md, section 2).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "platform/commands/pipeline/exact.h"
#include "platform/commands/pipeline/search.h"
#include "tests/support/random_cases.h"

namespace wafertlm::pipelines {
namespace {

Problem of_operations(const std::vector<double>& layers, const std::vector<double>& speeds) {
  Problem problem;
  for (const double each : layers) problem.layers.push_back({"layer", each, 0, 0});
  for (const double each : speeds) problem.places.push_back({"place", each, 0, 0});
  return problem;
}

Problem eight_layers() { return of_operations({4, 8, 6, 2, 10, 5, 3, 7}, {4, 2, 1}); }

/// Forward times in ns of ResNet-50's 54 layers, as LIBRA's repository has them.
Problem resnet50() {
  return of_operations(
      {13003, 3456,  3456,  10944, 3456, 3648,  10944, 3456, 3648,  10944, 3456,  2592, 3648, 6480,
       2336,  2592,  6480,  2336,  2592, 6480,  2336,  2592, 6480,  3146,  5664,  3539, 6372, 2832,
       3539,  6372,  2832,  3539,  6372, 2832,  3539,  6372, 2832,  3539,  6372,  2832, 3539, 6372,
       12583, 17952, 14156, 20196, 8976, 14156, 20196, 8976, 14156, 20196, 12288, 16416},
      {2, 2, 1, 1});
}

/// With memory and links in every other case.
Problem random_problem(std::mt19937_64& random, std::size_t least_layers, std::size_t most_layers,
                       std::size_t most_places) {
  const auto up_to = [&](std::size_t most) { return 1.0 + static_cast<double>(random() % most); };
  Problem problem;
  const bool is_full = random() % 2 == 0;
  const std::size_t layers = least_layers + random() % (most_layers - least_layers + 1),
                    places = 2 + random() % (most_places - 1);
  for (std::size_t i = 0; i < layers; ++i)
    problem.layers.push_back({"layer", up_to(100), is_full ? up_to(100) : 0, is_full ? up_to(20) : 0});
  for (std::size_t i = 0; i < places; ++i)
    problem.places.push_back({"place", up_to(4), is_full ? up_to(4) : 0, is_full ? up_to(4) : 0});
  return problem;
}

double slowest(const Problem& problem, const Schedule& schedule) {
  const std::vector<double> times = StageTimes(problem).of(schedule);
  return *std::max_element(times.begin(), times.end());
}

TEST(Pipelines, StageIsTheSlowerOfComputeAndMemoryAndThenTheTransfer) {
  const Problem problem{{{"a", 6, 10, 4}, {"b", 2, 20, 8}}, {{"p", 2, 5, 2}, {"q", 1, 100, 0}}};
  const StageTimes time(problem);
  EXPECT_DOUBLE_EQ(time(0, 1, 0), 3 + 4.0 / 2);
  EXPECT_DOUBLE_EQ(time(1, 2, 0), 4);  // by memory; the last stage sends nothing
  EXPECT_DOUBLE_EQ(time(0, 2, 1), 8);
}

TEST(Pipelines, EightLayersOnThreeChiplets) {
  const Problem problem = eight_layers();
  EXPECT_EQ(schedules(8, 3), 171);
  const Found all = exhaustive(problem), exact = dynamic_programming(problem);
  EXPECT_EQ(all.evaluations, 171U);
  EXPECT_DOUBLE_EQ(all.time, 6.75);
  const Schedule optimum{{2, 1}, {3, 2}, {8, 0}};
  EXPECT_EQ(all.schedule, optimum);
  EXPECT_EQ(exact.schedule, optimum);
  EXPECT_DOUBLE_EQ(slowest(problem, shisha_seed(problem)), 12);
  const Found found = shisha(problem);
  EXPECT_DOUBLE_EQ(found.time, 7.5);
  EXPECT_EQ(found.evaluations, 12U);
  EXPECT_DOUBLE_EQ(local_search(problem).time, 6.75);
}

TEST(Pipelines, ResNet50OnFourChiplets) {
  const Problem problem = resnet50();
  ASSERT_EQ(problem.layers.size(), 54U);
  EXPECT_EQ(schedules(54, 4), 595'936);
  EXPECT_DOUBLE_EQ(dynamic_programming(problem).time, 63'715);
  EXPECT_DOUBLE_EQ(slowest(problem, shisha_seed(problem)), 70'177);
  const Found found = shisha(problem);
  EXPECT_DOUBLE_EQ(found.time, 67'778);
  EXPECT_EQ(found.evaluations, 12U);
  EXPECT_DOUBLE_EQ(local_search(problem).time, 63'715);
  std::vector<std::size_t> annealed, climbed;
  for (std::uint64_t seed = 0; seed < 21; ++seed) {
    const Found cooled = annealing(problem, seed, found.time, 100'000);
    EXPECT_LE(cooled.time, found.time);
    EXPECT_DOUBLE_EQ(slowest(problem, cooled.schedule), cooled.time);
    annealed.push_back(cooled.evaluations);
    climbed.push_back(hill_climbing(problem, seed, found.time, 100'000).evaluations);
  }
  std::sort(annealed.begin(), annealed.end());
  std::sort(climbed.begin(), climbed.end());
  EXPECT_GE(annealed[10], 15 * found.evaluations);
  // Independent ones: 199 and 527 evaluations (medians of 21).
  EXPECT_GE(climbed[10], 100U);
  EXPECT_LE(climbed[10], 300U);
}

TEST(Pipelines, DynamicProgrammingIsExhaustive) {
  std::mt19937_64 random(1);
  for (int i = 0; i < test::random_cases(1000, 100); ++i) {
    const Problem problem = random_problem(random, 1, 8, 4);
    const Found all = exhaustive(problem), exact = dynamic_programming(problem);
    ASSERT_NEAR(exact.time, all.time, 1e-9 * all.time) << i;
    ASSERT_DOUBLE_EQ(slowest(problem, exact.schedule), exact.time) << i;
    ASSERT_EQ(static_cast<double>(all.evaluations), schedules(problem.layers.size(), problem.places.size()));
  }
}

TEST(Pipelines, SearchesReturnSchedulesThatAreValidAndNoBetterThanTheOptimum) {
  std::mt19937_64 random(2);
  for (int i = 0; i < test::random_cases(200, 40); ++i) {
    const Problem problem = random_problem(random, 1, 12, 4);
    const double optimum = dynamic_programming(problem).time;
    for (const Found& found : {shisha(problem), local_search(problem), hill_climbing(problem, 1, 0, 100),
                               annealing(problem, 1, 0, 100), guided_evolution(problem, 1, 0, 100)}) {
      std::vector<bool> used(problem.places.size());
      std::size_t begin = 0;
      for (const Stage& stage : found.schedule) {
        ASSERT_GT(stage.end, begin) << i;
        ASSERT_FALSE(used.at(stage.place)) << i;
        used[stage.place] = true;
        begin = stage.end;
      }
      ASSERT_EQ(begin, problem.layers.size()) << i;
      ASSERT_GE(found.time, optimum * (1 - 1e-12)) << i;
      ASSERT_DOUBLE_EQ(slowest(problem, found.schedule), found.time) << i;
    }
  }
}

TEST(Pipelines, LocalSearchClosesTheGapOfShisha) {
  std::mt19937_64 random(7);
  int near = 0;
  const int cases = test::random_cases(200, 40);
  for (int i = 0; i < cases; ++i) {
    const Problem problem = random_problem(random, 8, 48, 5);
    const Found coarse = shisha(problem), fine = local_search(problem);
    EXPECT_LE(fine.evaluations, 3 * coarse.evaluations);
    EXPECT_LE(fine.time, coarse.time);
    if (fine.time <= 1.02 * dynamic_programming(problem).time) ++near;
  }
  EXPECT_GE(near, cases * 95 / 100);
}

TEST(Pipelines, EvolutionBeginsInProportionAndEndsAtItsTarget) {
  // Speeds 4, 2, 1 of 45 operations: shares of 25.7, 12.9 and 6.4.
  const Schedule start{{5, 0}, {7, 1}, {8, 2}};  // 30, 8 and 7
  const Found first = guided_evolution(eight_layers(), 1, 0, 1);
  EXPECT_EQ(first.schedule, start);
  EXPECT_EQ(first.time, 7.5);
  EXPECT_EQ(first.evaluations, 1U);
  EXPECT_EQ(guided_evolution(eight_layers(), 1, 7.5, 1000).evaluations, 1U);
  const Found found = guided_evolution(resnet50(), 1, 67'778, 100'000);
  EXPECT_LE(found.time, 67'778);
  EXPECT_GT(found.evaluations, 1U);
  EXPECT_EQ(guided_evolution(eight_layers(), 1, 0, 77).evaluations, 77U);
}

/// What is measured need not be the formula: stages on place 0 are twice as slow as it says.
TEST(Pipelines, SearchesGoByWhatIsMeasured) {
  Problem problem = eight_layers();
  Problem slow = problem;
  slow.places[0].speed /= 2;
  problem.measure = [&slow](const Schedule& schedule) {
    Measured measured{StageTimes(slow).of(schedule), 0};
    measured.period = *std::max_element(measured.stages.begin(), measured.stages.end());
    return measured;
  };
  EXPECT_EQ(exhaustive(problem).time, exhaustive(slow).time);
  for (const Found& found : {shisha(problem), local_search(problem), annealing(problem, 1, 0, 100),
                             hill_climbing(problem, 1, 0, 100), guided_evolution(problem, 1, 0, 100)})
    EXPECT_EQ(found.time, slowest(slow, found.schedule));
  EXPECT_EQ(shisha(problem).evaluations, shisha(problem).evaluations);
  EXPECT_GE(exhaustive(slow).time, exhaustive(eight_layers()).time);
}

TEST(Pipelines, RefusesWhatIsNoProblem) {
  EXPECT_THROW(shisha(of_operations({}, {1})), std::invalid_argument);
  EXPECT_THROW(dynamic_programming(of_operations({1}, {})), std::invalid_argument);
  EXPECT_THROW(exhaustive(of_operations({1}, {0})), std::invalid_argument);
  EXPECT_THROW(annealing(of_operations({-1}, {1}), 1, 0, 10), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::pipelines
