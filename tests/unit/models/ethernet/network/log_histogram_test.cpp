// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/log_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace wafertlm::ethernet {
namespace {

/// Nearest rank.
std::uint64_t exact(std::vector<std::uint64_t> values, double percent) {
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(LogHistogram, PercentilesAreAtMostA32ndTooHigh) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    LogHistogram histogram;
    std::vector<std::uint64_t> values;
    const std::size_t count = 1 + random() % 300;
    const unsigned bits = 1 + static_cast<unsigned>(random() % 63);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(random() >> (64 - bits) >> random() % 3);
      histogram.add(values.back());
      sum += static_cast<double>(values.back());
    }
    for (const double percent : {0.0, 1.0, 50.0, 90.0, 99.0, 100.0}) {
      const std::uint64_t right = exact(values, percent), got = histogram.percentile(percent);
      EXPECT_GE(got, right);
      EXPECT_LE(got - right, right / 32);
      if (right < 64) {
        EXPECT_EQ(got, right);
      }
    }
    EXPECT_EQ(histogram.total(), count);
    EXPECT_EQ(histogram.most(), exact(values, 100));
    EXPECT_EQ(histogram.percentile(100), histogram.most());
    EXPECT_NEAR(histogram.mean(), sum / static_cast<double>(count), 1e-9 * sum);
  }
}

TEST(LogHistogram, TwoAddUpToOneOfAll) {
  LogHistogram small, large, both;
  for (std::uint64_t value = 0; value < 5000; ++value) {
    (value < 100 ? small : large).add(value * value);
    both.add(value * value);
  }
  small.add(large);
  for (double percent = 0; percent <= 100; percent += 2.5)
    EXPECT_EQ(small.percentile(percent), both.percentile(percent));
  EXPECT_EQ(small.total(), 5000U);
  EXPECT_DOUBLE_EQ(small.mean(), both.mean());
  EXPECT_EQ(LogHistogram().percentile(50), 0U);
  EXPECT_EQ(LogHistogram().mean(), 0);
}

}  // namespace
}  // namespace wafertlm::ethernet
