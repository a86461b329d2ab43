// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/sampled/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wafertlm::test {
namespace {

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975.
TEST(StudentT, IsThatOfTheTables) {
  EXPECT_NEAR(student_t_95(1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_95(5), 2.571, 5e-4);
  EXPECT_NEAR(student_t_95(30), 2.042, 5e-4);
  EXPECT_NEAR(student_t_95(~std::uint64_t{0}), 1.96, 5e-3);
  EXPECT_TRUE(std::isinf(student_t_95(0)));
}

TEST(MeanEstimate, HasMeanSpreadAndInterval) {
  MeanEstimate estimate;
  EXPECT_TRUE(std::isinf(estimate.half_width()) || std::isnan(estimate.half_width()));
  estimate.add(4);
  EXPECT_EQ(estimate.variance(), 0);
  for (const double value : {7, 13, 16}) estimate.add(value);  // mean 10, squares 36 + 9 + 9 + 36
  EXPECT_EQ(estimate.count(), 4U);
  EXPECT_DOUBLE_EQ(estimate.mean(), 10);
  EXPECT_DOUBLE_EQ(estimate.variance(), 30);
  EXPECT_NEAR(estimate.half_width(), 3.182 * std::sqrt(30.0 / 4), 2e-3);
}

TEST(DeviationEstimate, IsTheRatioOfSums) {
  DeviationEstimate estimate;
  EXPECT_EQ(estimate.deviation(), 0);
  estimate.add(10, 11);
  EXPECT_TRUE(std::isinf(estimate.standard_error()));
  EXPECT_NEAR(estimate.deviation(), 0.1, 1e-12);
  estimate.add(30, 31);  // ratio 42 / 40; residuals 0.5 and -0.5; their mean expected 20
  EXPECT_NEAR(estimate.deviation(), 0.05, 1e-12);
  EXPECT_NEAR(estimate.standard_error(), std::sqrt(0.5 / 2) / 20, 1e-12);
}

}  // namespace
}  // namespace wafertlm::test
