// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/intervals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wafertlm::goodput {
namespace {

// delta 2, M 100: Young sqrt(400) = 20; Daly 20 (1 + 0.1/3 + 0.01/9) - 2 = 18.6889.
TEST(CheckpointIntervals, ByHand) {
  const Checkpointing job{100, 2, 5};
  EXPECT_DOUBLE_EQ(young_interval(job), 20);
  EXPECT_NEAR(daly_interval(job), 20 * (1 + 0.1 / 3 + 0.01 / 9) - 2, 1e-12);
  EXPECT_EQ(daly_interval({100, 200, 0}), 100);
  EXPECT_EQ(daly_interval({100, 500, 0}), 100);
  // A segment of ln 2 times M without checkpoint: M (2 - 1) = M, of which 0.693 is work.
  EXPECT_NEAR(expected_goodput({100, 0, 0}, 100 * std::log(2)), std::log(2), 1e-12);
  // A restart of ln 2 times M doubles it.
  EXPECT_NEAR(expected_goodput({100, 0, 100 * std::log(2)}, 100 * std::log(2)), std::log(2) / 2, 1e-12);
  EXPECT_NEAR(expected_goodput({1e12, 1, 1}, 9), 0.9, 1e-9);
}

TEST(CheckpointIntervals, TheExactOneIsBestAndDalyIsNear) {
  for (const double checkpoint : {0.001, 0.1, 2.0, 10.0, 40.0}) {
    const Checkpointing job{100, checkpoint, 7};
    const double exact = exact_interval(job), best = expected_goodput(job, exact);
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
      EXPECT_LT(expected_goodput(job, exact * factor), best) << checkpoint << " " << factor;
    EXPECT_NEAR(daly_interval(job) / exact, 1, 0.01) << checkpoint;
  }
}

TEST(CheckpointIntervals, TheFitFindsTheLeastOfItsOwnLaw) {
  std::vector<std::pair<double, double>> points;
  for (const double t : {100.0, 150.0, 200.0, 300.0, 450.0})
    points.emplace_back(t, 1 / (1.1 + 2e-4 * t + 8 / t));
  EXPECT_NEAR(fitted_interval(points), 200, 1e-6);  // sqrt(8 / 2e-4)
  for (auto& [interval, goodput] : points) goodput = 1 / (1.1 + 2e-4 * interval);
  EXPECT_NEAR(fitted_interval(points), 0, 0.1);  // falls all the way
}

}  // namespace
}  // namespace wafertlm::goodput
