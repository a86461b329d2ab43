// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/bandwidth_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "platform/commands/libra/inputs.h"
#include "platform/commands/libra/priced.h"
#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"

namespace wafertlm::libra {
namespace {

using astra_text::bytes_by_dimension;
using Sense = LinearConstraint::Sense;
using Type = chakra::CollectiveType;

BandwidthProblem with_budget(std::size_t dimensions, double budget, Sense sense = Sense::equal) {
  BandwidthProblem problem;
  problem.dimensions = dimensions;
  problem.constraints = {{std::vector<double>(dimensions, 1), sense, budget, "budget"}};
  return problem;
}

/// An all-reduce over everything takes 2S(N−1)/(N·β), whatever the shape of the network.
TEST(Libra, OneGroupSharesTheBudgetByBytes) {
  const double bytes = 3e9, budget = 700;
  for (const auto& sizes : {std::vector<int>{16, 8, 32}, {64, 64}, {2, 4, 8, 16, 4}, {4096}}) {
    BandwidthProblem problem = with_budget(sizes.size(), budget);
    problem.terms = {{1, bytes_by_dimension(Type::AllReduce, bytes, sizes)}};
    double npus = 1, sum = 0;
    for (const int size : sizes) npus *= size;
    for (const double each : problem.terms[0].amounts) sum += each;
    const Optimum optimum = minimize(problem);
    EXPECT_NEAR(optimum.value / (2 * bytes * (npus - 1) / npus / budget), 1, 1e-9);
    EXPECT_LE(optimum.gap(), 1e-9);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      EXPECT_NEAR(optimum.bandwidths[d] / (budget * problem.terms[0].amounts[d] / sum), 1, 1e-6);
  }
}

/// Totals a and b on disjoint dimensions: (√a + √b)²/β, shares √a : √b.
TEST(Libra, TwoClassesShareByRoots) {
  BandwidthProblem problem = with_budget(4, 500);
  problem.terms = {{3, {9e9, 1e9, 0, 0}}, {2, {0, 0, 4e8, 1e8}}};
  const double a = 3 * 10e9, b = 2 * 5e8, roots = std::sqrt(a) + std::sqrt(b);
  const Optimum optimum = minimize(problem);
  EXPECT_NEAR(optimum.value / (roots * roots / 500), 1, 1e-9);
  EXPECT_NEAR((optimum.bandwidths[0] + optimum.bandwidths[1]) / (500 * std::sqrt(a) / roots), 1, 1e-5);
  EXPECT_NEAR(optimum.bandwidths[0] / optimum.bandwidths[1], 9, 1e-4);
}

TEST(Libra, EveryOptimumOfRandomProblemsIsProven) {
  std::mt19937 random(28);
  std::uniform_real_distribution<double> part(0, 1);
  const Type types[] = {Type::AllReduce, Type::AllGather, Type::ReduceScatter, Type::AllToAll};
  for (int i = 0; i < test::random_cases(200, 20); ++i) {
    const std::size_t count = 1 + random() % 6;
    const double budget = 100 + 900 * part(random);
    BandwidthProblem problem = with_budget(count, budget, random() % 2 ? Sense::equal : Sense::at_most);
    problem.constant = 1e6 * part(random);
    for (std::size_t j = 0; j < 1 + random() % 8; ++j) {
      std::vector<int> groups;
      for (std::size_t d = 0; d < count; ++d)
        groups.push_back(random() % 2 ? 2 + static_cast<int>(random() % 31) : -1);
      problem.terms.push_back(
          {static_cast<double>(1 + random() % 8),
           bytes_by_dimension(types[random() % 4], 1e3 * std::pow(10, 4 * part(random)), groups)});
    }
    if (i % 2 == 1 && count > 2) problem.constraints.push_back(parse_constraint("B0 >= B1", count));
    if (i % 4 == 3 && count > 3)
      problem.constraints.push_back(parse_constraint("B2 + B3 = " + std::to_string(budget / 5), count));
    const Optimum optimum = minimize(problem);
    EXPECT_LE(optimum.gap(), 1e-6) << i;
    EXPECT_GE(optimum.gap(), -1e-8) << i;
    for (const LinearConstraint& each : problem.constraints)
      EXPECT_LE(each.violation(optimum.bandwidths), 1e-8) << i << " " << each.text;
  }
}

TEST(Libra, TimeTimesCostIsBestOfAFineGrid) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 10; ++i) {
    BandwidthProblem problem = with_budget(2, 1000);
    problem.constant = 1e7 * part(random);
    problem.terms = {{1, {1e9 * part(random), 1e9 * part(random)}}, {1, {0, 1e9 * part(random)}}};
    const Price price{i % 2 ? 0 : 5000 * part(random), {1 + 50 * part(random), 1 + 50 * part(random)}};
    double least = 1e300;
    for (double share = 1e-4; share < 1; share += 1e-4) {
      const std::vector<double> at = {1000 * share, 1000 * (1 - share)};
      least = std::min(least, problem.value(at) * price.of(at));
    }
    const Optimum optimum = minimize_time_cost(problem, price);
    EXPECT_LE(optimum.value, least * (1 + 1e-9));
    EXPECT_GE(optimum.value, least * (1 - 1e-3));
    EXPECT_LE(optimum.gap(), 1e-6);
  }
}

TEST(Libra, TheLeastCostMeetsTheTimeLimit) {
  BandwidthProblem problem = with_budget(2, 1000, Sense::at_most);
  problem.constant = 1e6;
  problem.terms = {{1, {1e9, 0}}, {1, {0, 2e8}}};
  const Price price{100, {4, 57.4}};
  const double limit = 1e6 + 5e6;  // (√(4·1e9) + √(57.4·2e8))²/5e6 by Lagrange
  const double roots = std::sqrt(4 * 1e9) + std::sqrt(57.4 * 2e8);
  const Optimum optimum = minimize_cost(problem, price, limit);
  EXPECT_NEAR(optimum.value / (100 + roots * roots / 5e6), 1, 1e-7);
  EXPECT_LE(problem.value(optimum.bandwidths), limit * (1 + 1e-9));
  EXPECT_LE(optimum.gap(), 1e-6);
  EXPECT_NE(test::refusal_of([&] { minimize_cost(problem, price, 1.1e6); }).find("the fastest take"),
            std::string::npos);
}

TEST(Libra, RefusesWhatRunsToZeroOrIsUnbounded) {
  BandwidthProblem problem = with_budget(2, 1000, Sense::at_most);
  problem.constant = 1e6;
  problem.terms = {{1, {1e9, 2e8}}};
  const auto refusal = [&] { return test::refusal_of([&] { minimize_time_cost(problem, {0, {4, 57.4}}); }); };
  EXPECT_NE(refusal().find("all bandwidths shrink together"), std::string::npos);
  problem.constraints.push_back(parse_constraint("B0 >= 10", 2));
  EXPECT_EQ(refusal(), "");
  problem.constraints.erase(problem.constraints.begin());
  EXPECT_NE(test::refusal_of([&] { minimize(problem); }).find("nothing bounds"), std::string::npos);
  problem.constraints = {parse_constraint("sum = 100", 2), parse_constraint("B0 >= 200", 2)};
  EXPECT_NE(test::refusal_of([&] { minimize(problem); }).find("no bandwidths"), std::string::npos);
}

TEST(Libra, ReadsConstraints) {
  const LinearConstraint each = parse_constraint("2*B0 - B2 + 5 <= 0.5*B1 + 100 GB/s", 3);
  EXPECT_EQ(each.coefficients, (std::vector<double>{2, -0.5, -1}));
  EXPECT_EQ(each.limit, 95);
  EXPECT_EQ(each.sense, Sense::at_most);
  EXPECT_EQ(parse_constraint("sum = 1000", 2).coefficients, (std::vector<double>{1, 1}));
  for (const char* const bad : {"B0", "B0 >= ", "B3 = 1", "B0 = = 1", "B0 - B0 = 1", "B0 B1 = 2", "x = 1"})
    EXPECT_NE(test::refusal_of([&] { parse_constraint(bad, 3); }), "") << bad;
}

}  // namespace
}  // namespace wafertlm::libra
