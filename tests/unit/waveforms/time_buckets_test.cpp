// SPDX-License-Identifier: Apache-2.0
#include "waveforms/time_buckets.h"

#include <gtest/gtest.h>

#include <numeric>

namespace wafertlm {
namespace {

TEST(TimeBuckets, SpreadsAnAmountOverItsTime) {
  TimeBuckets buckets(1, 8);
  buckets.add(0, 500, 2500, 2000);
  EXPECT_EQ(buckets.width_ps(), 1000u);
  EXPECT_EQ(buckets.sums(0), (std::vector<double>{500, 1000, 500}));
}

TEST(TimeBuckets, BecomesCoarserAndLosesNothing) {
  TimeBuckets buckets(2, 8);
  for (TimePs at = 0; at < 100'000; at += 250) buckets.add(at % 500 == 0 ? 0 : 1, at, at + 250, 250);
  EXPECT_EQ(buckets.width_ps(), 16'000u);  // 8 of them reach beyond 100 ns
  for (std::size_t series = 0; series < 2; ++series) {
    const auto& sums = buckets.sums(series);
    EXPECT_LE(sums.size(), 8u);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), 50'000);
    EXPECT_EQ(sums[0], 8'000);
  }
}

}  // namespace
}  // namespace wafertlm
