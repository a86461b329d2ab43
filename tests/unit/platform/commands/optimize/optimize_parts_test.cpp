// SPDX-License-Identifier: Apache-2.0
// Parts of a search: spaces, points that were looked at, planes, goals, regret.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "platform/commands/optimize/kriging.h"
#include "platform/commands/optimize/looks.h"
#include "platform/commands/optimize/outcome.h"

namespace wafertlm::optimize {
namespace {

struct RoundedRow {
  double from, to, step, value, rounded;
};

class OptimizeAxis : public testing::TestWithParam<RoundedRow> {};

TEST_P(OptimizeAxis, RoundsToItsStepsWithinItsRange) {
  const RoundedRow& row = GetParam();
  EXPECT_DOUBLE_EQ((Axis{"x", row.from, row.to, row.step}.rounded(row.value)), row.rounded);
}

INSTANTIATE_TEST_SUITE_P(Values, OptimizeAxis,
                         testing::Values(RoundedRow{1, 9, 0, 3.3, 3.3}, RoundedRow{1, 9, 0, 0.5, 1},
                                         RoundedRow{1, 9, 0, 10, 9}, RoundedRow{1, 9, 2, 3.9, 3},
                                         RoundedRow{1, 9, 2, 4.1, 5}, RoundedRow{50, 1500, 50, 70, 50},
                                         RoundedRow{50, 1500, 50, 76, 100}, RoundedRow{-3, 3, 2, 0.4, 1},
                                         RoundedRow{0, 10, 4, 10, 8}, RoundedRow{0, 10, 4, 11, 8},
                                         RoundedRow{0.1, 0.7, 0.1, 2, 0.7}, RoundedRow{0, 10, 4, -7, 0}));

struct MiddleRow {
  const char* name;
  Space space;
  Point middle;
};

class OptimizeMiddle : public testing::TestWithParam<MiddleRow> {};

TEST_P(OptimizeMiddle, IsEqualSharesOrTheMiddleOfTheRanges) {
  const Point found = GetParam().space.middle();
  ASSERT_EQ(found.size(), GetParam().middle.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], GetParam().middle[i], 1e-9) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, OptimizeMiddle,
    testing::Values(MiddleRow{"Geometric", {{{"a", 1, 100}, {"b", 4, 9}}}, {10, 6}},
                    MiddleRow{"OfZero", {{{"a", 0, 100}}}, {50}},
                    MiddleRow{"OfBelow", {{{"a", -4, 100}}}, {48}},
                    MiddleRow{"Steps", {{{"a", 1, 100, 4}}}, {9}},
                    MiddleRow{"Budget", {{{"a", 1, 900}, {"b", 1, 900}}, Budget{{1, 4}, 400}}, {200, 50}},
                    MiddleRow{"Limit", {{{"a", 1, 900}, {"b", 1, 900}}, {}, Budget{{1, 4}, 400}}, {200, 50}},
                    MiddleRow{"BudgetBeforeLimit", {{{"a", 1, 900}}, Budget{{1}, 40}, Budget{{1}, 50}}, {40}},
                    MiddleRow{
                        "WithinTheRange", {{{"a", 1, 90}, {"b", 1, 900}}, Budget{{1, 1}, 400}}, {90, 200}}),
    [](const auto& each) { return std::string(each.param.name); });

/// The sum of the coordinates; counts what was asked.
struct Asked {
  std::vector<Point> points;
  Evaluate evaluate() {
    return [this](const std::vector<Point>& fresh) {
      std::vector<double> values;
      for (const Point& point : fresh) values.push_back(point[0] + point[1]);
      points.insert(points.end(), fresh.begin(), fresh.end());
      return values;
    };
  }
};

TEST(OptimizeLooks, AskOnceForAPointAndKeepTheFirstBest) {
  const Space space{{{"a", 1, 9, 1}, {"b", 1, 9, 0}}};
  Asked asked;
  const Evaluate evaluate = asked.evaluate();
  SearchOptions options;
  options.evaluations = 4;
  Looks looks(space, evaluate, options);
  EXPECT_EQ(looks.at(std::vector<Point>{{3.2, 5}, {2.8, 5}, {4, 4.00001}}),
            (std::vector<double>{8, 8, 8.00001}));
  EXPECT_EQ(looks.at(Point{4, 4}), 8.00001);                            // near is the same
  EXPECT_EQ(asked.points, (std::vector<Point>{{3, 5}, {4, 4.00001}}));  // in whole steps
  EXPECT_EQ(looks.result.best, (Point{3, 5}));
  EXPECT_EQ(looks.left(), 2U);
  EXPECT_TRUE(looks.is_known({4, 4}));
  EXPECT_FALSE(looks.is_known({4, 4.001}));
  EXPECT_EQ(looks.at(Point{1, 20}), 10);  // within the range
  EXPECT_EQ(looks.at(std::vector<Point>{{2, 2}, {2, 3}}), (std::vector<double>{4, kInfinity}));
  EXPECT_TRUE(looks.is_full());
  EXPECT_EQ(looks.at(Point{3, 5}), 8);  // what is known costs nothing
  EXPECT_EQ(looks.result.best, (Point{2, 2}));
  EXPECT_EQ(looks.result.value, 4);
  EXPECT_EQ(asked.points.size(), 4U);
}

TEST(OptimizeLooks, ProbesCostButAreNoCandidates) {
  const Space space{{{"a", 1, 9}, {"b", 1, 9}}};
  Asked asked;
  const Evaluate evaluate = asked.evaluate();
  SearchOptions options;
  options.evaluations = 2;
  Looks looks(space, evaluate, options);
  EXPECT_EQ(looks.probe({0.5, 0.25}), 0.75);
  EXPECT_TRUE(looks.result.looks.empty());
  EXPECT_EQ(looks.left(), 1U);
}

TEST(OptimizeLooks, LeaveOutWhatIsNotAllowedAndEndInTime) {
  const Space space{{{"a", 1, 9}, {"b", 1, 9}}};
  Asked asked;
  const Evaluate evaluate = asked.evaluate();
  SearchOptions options;
  options.is_allowed = [](const Point& point) { return point[0] < 5; };
  bool is_over = false;
  options.is_over = [&] { return is_over; };
  Looks looks(space, evaluate, options);
  EXPECT_EQ(looks.at(std::vector<Point>{{6, 1}, {4, 1}}), (std::vector<double>{kInfinity, 5}));
  is_over = true;
  EXPECT_TRUE(looks.is_full());
  EXPECT_EQ(looks.at(Point{2, 1}), kInfinity);
  EXPECT_EQ(asked.points.size(), 1U);
}

TEST(OptimizeCoordinates, AreLogarithmsOrSharesAndBack) {
  const Space free{{{"a", 1, 100}, {"b", 0, 10}}};
  const Coordinates plain(free);
  EXPECT_EQ(plain.count(), 2U);
  EXPECT_NEAR(plain.of({10, 4})[0], std::log(10), 1e-12);
  EXPECT_EQ(plain.of({10, 4})[1], 4);
  EXPECT_NEAR(plain.unit({10, 4})[0], 0.5, 1e-12);
  EXPECT_NEAR(plain.unit({10, 4})[1], 0.4, 1e-12);
  const Space shared{{{"a", 1, 900}, {"b", 1, 900}, {"c", 1, 900}}, Budget{{1, 2, 4}, 700}};
  const Coordinates shares(shared);
  EXPECT_EQ(shares.count(), 2U);
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const std::vector<double> x = {static_cast<double>(random() % 100) / 20 - 2.5,
                                   static_cast<double>(random() % 100) / 20 - 2.5};
    const Point point = shares.point(x.data());
    EXPECT_NEAR(point[0] + 2 * point[1] + 4 * point[2], 700, 1e-9);
    EXPECT_NEAR(shares.of(point)[0], x[0], 1e-9);
    EXPECT_NEAR(shares.of(point)[1], x[1], 1e-9);
    EXPECT_NEAR(shares.unit(point)[0], (x[0] + 6) / 12, 1e-9);
  }
}

TEST(OptimizePlanes, OneIsLowestWhereSharesAreAsTheRootsOfTheSlopes) {
  const Plane plane{5, {4, 9, 1}};
  EXPECT_DOUBLE_EQ(plane.at({0.5, 0.25, 0.25}), 5 + 8 + 36 + 4);
  const auto shares = lowest_of({plane}, {0.2, 0.3, 0.5}, {1e-3, 1e-3, 1e-3}, {1, 1, 1});
  // By Lagrange: in the ratio 2 : 3 : 1.
  EXPECT_NEAR(shares[0], 2 / 6.0, 1e-4);
  EXPECT_NEAR(shares[1], 3 / 6.0, 1e-4);
  EXPECT_NEAR(shares[2], 1 / 6.0, 1e-4);
}

TEST(OptimizePlanes, NoSharesOnAGridAreBelowTheLowest) {
  std::mt19937 random(9);
  const auto number = [&](double most) { return most * static_cast<double>(random() % 1000) / 1000; };
  for (int round = 0; round < 50; ++round) {
    std::vector<Plane> planes;
    for (int i = 0; i < 3; ++i) planes.push_back({number(100), {1 + number(50), 1 + number(50)}});
    const auto height = [&](const std::vector<double>& shares) {
      double most = 0;
      for (const Plane& each : planes) most = std::max(most, each.at(shares));
      return most;
    };
    const auto found = lowest_of(planes, {0.5, 0.5}, {0.01, 0.01}, {0.99, 0.99});
    EXPECT_NEAR(found[0] + found[1], 1, 1e-9);
    double least = kInfinity;
    for (int i = 10; i <= 990; ++i) least = std::min(least, height({i / 1000.0, 1 - i / 1000.0}));
    EXPECT_LE(height(found), least * (1 + 1e-6)) << round;
  }
}

Candidate measured(double time, double cost, double energy) {
  Candidate candidate;
  candidate.time_s = time;
  candidate.cost = cost;
  candidate.energy_j = energy;
  return candidate;
}

TEST(OptimizeGoals, AreNothingWhereAValueIsMissing) {
  const Candidate all = measured(2, 3, 5);
  EXPECT_EQ(all.value(Goal::time), 2);
  EXPECT_EQ(all.value(Goal::cost), 3);
  EXPECT_EQ(all.value(Goal::time_cost), 6);
  EXPECT_EQ(all.value(Goal::energy), 5);
  Candidate none;
  none.cost = 3;
  EXPECT_EQ(none.value(Goal::cost), 3);
  for (const Goal goal : {Goal::time, Goal::time_cost, Goal::energy}) EXPECT_EQ(none.value(goal), kInfinity);
  Candidate refused = all;
  refused.refused = "costs too much";
  for (const Goal goal : {Goal::time, Goal::cost, Goal::time_cost, Goal::energy})
    EXPECT_EQ(refused.value(goal), kInfinity);
  EXPECT_STREQ(name_of(Goal::time), "time");
  EXPECT_STREQ(name_of(Goal::cost), "cost");
  EXPECT_STREQ(name_of(Goal::time_cost), "time_cost");
  EXPECT_STREQ(name_of(Goal::energy), "energy");
}

// Against every candidate beside every other, and the area counted in unit squares.
TEST(OptimizeFront, IsThatOfEveryPairOfRandomCandidates) {
  std::mt19937 random(21);
  for (int round = 0; round < 200; ++round) {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < 1 + round % 12U; ++i)
      all.push_back(
          measured(1 + static_cast<double>(random() % 10), 1 + static_cast<double>(random() % 10), 1));
    all.push_back(all.front());
    all.back().time_s = 0.5;
    all.back().refused = "no answer";
    std::vector<const Candidate*> pointers;
    for (const Candidate& each : all) pointers.push_back(&each);
    std::set<std::pair<double, double>> expected, found;
    for (const Candidate& each : all) {
      const auto beats = [&](const Candidate& other) {
        return other.refused.empty() && *other.time_s <= *each.time_s && *other.cost <= *each.cost &&
               (*other.time_s < *each.time_s || *other.cost < *each.cost);
      };
      if (each.refused.empty() && std::none_of(all.begin(), all.end(), beats))
        expected.emplace(*each.time_s, *each.cost);
    }
    double last = 0;
    const auto front = pareto_front(pointers, Goal::time, Goal::cost);
    for (const Candidate* each : front) {
      found.emplace(*each->time_s, *each->cost);
      EXPECT_GE(*each->time_s, last);
      last = *each->time_s;
    }
    EXPECT_EQ(found, expected) << round;
    int squares = 0;  // of the rectangle to (9, 8)
    for (int x = 0; x < 9; ++x)
      for (int y = 0; y < 8; ++y)
        squares += std::any_of(found.begin(), found.end(),
                               [&](const auto& each) { return each.first <= x && each.second <= y; })
                       ? 1
                       : 0;
    EXPECT_NEAR(hypervolume(front, measured(9, 8, 1), Goal::time, Goal::cost), squares / 72.0, 1e-12)
        << round;
  }
}

TEST(OptimizeRegret, IsWhatEachWorkloadLosesOnTheOthersDesign) {
  const auto timed = [](std::vector<double> times) {
    Candidate candidate;
    candidate.times_s = std::move(times);
    return candidate;
  };
  const Candidate a = timed({1, 10}), b = timed({4, 2}), joint = timed({2, 3});
  const Regret regret = regret_of({&a, &b, &joint}, joint);
  EXPECT_EQ(regret.own, (std::vector<const Candidate*>{&a, &b}));
  EXPECT_EQ(regret.by_own, (std::vector<std::vector<double>>{{0, 4}, {3, 0}}));
  EXPECT_EQ(regret.joint, (std::vector<double>{1, 0.5}));
  const Candidate alone = timed({1});
  EXPECT_TRUE(regret_of({&alone}, alone).own.empty());
  EXPECT_EQ(regret_of({}, joint).own[0], &joint);
}

TEST(OptimizeKriging, PassesThroughItsPointsAndIsUnsureBetween) {
  std::mt19937 random(4);
  for (int round = 0; round < 10; ++round) {
    std::vector<Kriging::Vector> points;
    Kriging::Vector values;
    for (int i = 0; i < 8; ++i) {
      points.push_back({i / 8.0, static_cast<double>(random() % 1000) / 1000});
      values.push_back(3 + std::sin(4 * points.back()[0]) + points.back()[1]);
    }
    const Kriging kriging(points, values);
    ASSERT_EQ(kriging.lengths().size(), 2U);
    for (const double each : kriging.lengths()) {
      EXPECT_GE(each, 0.05 * (1 - 1e-9));
      EXPECT_LE(each, 20 * (1 + 1e-9));
    }
    double most = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(kriging.at(points[i]).mean, values[i], 1e-3);
      most = std::max(most, kriging.at(points[i]).deviation);
      EXPECT_NEAR(kriging.expected_improvement(points[i], values[i] - 1), 0, 1e-3);
      EXPECT_NEAR(kriging.expected_improvement(points[i], values[i] + 1), 1, 1e-3);
    }
    EXPECT_GT(kriging.at({3, 3}).deviation, 10 * most);  // far from all of them
  }
}

}  // namespace
}  // namespace wafertlm::optimize
