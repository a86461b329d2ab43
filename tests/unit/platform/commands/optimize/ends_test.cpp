// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/ends.h"

#include <gtest/gtest.h>

namespace wafertlm::optimize {
namespace {

VariableSpec range(const std::string& name, double from, double to, double step = 0, double price = 0) {
  VariableSpec variable;
  variable.name = name;
  variable.from = from;
  variable.to = to;
  variable.step = step;
  variable.price = price;
  return variable;
}

TEST(OptimizeEnds, OfOneRangeAreItsTwo) {
  OptimizeSpec spec;
  spec.variables = {range("link", 50, 1500)};
  EXPECT_EQ(ends_of(spec, {}), (std::vector<Point>{{50}, {1500}}));
}

TEST(OptimizeEnds, KeepToWholeSteps) {
  OptimizeSpec spec;
  spec.variables = {range("links", 1, 10, 4)};
  EXPECT_EQ(ends_of(spec, {}), (std::vector<Point>{{1}, {9}}));
}

// What costs is at its least for the cheapest point, what costs nothing where it is fastest.
TEST(OptimizeEnds, HoldTheFastestAndTheCheapestCorner) {
  OptimizeSpec spec;
  spec.variables = {range("link", 50, 1500, 0, 4), range("latency", 10, 100)};
  CornerBound fastest;
  fastest.point = {1500, 10};
  EXPECT_EQ(ends_of(spec, fastest), (std::vector<Point>{{1500, 10}, {50, 10}, {1500, 100}}))
      << "fastest, cheapest, which is where all ranges begin, and where they end";
}

TEST(OptimizeEnds, PointsOfABudgetAreNoCorners) {
  OptimizeSpec spec;
  spec.variables = {range("a", 1, 10), range("b", 1, 10)};
  spec.constraints = {"a + b = 10"};
  EXPECT_TRUE(ends_of(spec, {}).empty());
}

}  // namespace
}  // namespace wafertlm::optimize
