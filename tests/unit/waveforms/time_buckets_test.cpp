// SPDX-License-Identifier: Apache-2.0
#include "waveforms/time_buckets.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

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

// Picosecond by picosecond: whole parts, so that sums hang neither on the order nor on who has which amounts.
TEST(TimeBuckets, AreASumOverTheirTime) {
  std::mt19937_64 random(4);
  for (int number = 0; number < 200; ++number) {
    TimeBuckets buckets(1, 4), early(1, 4), late(1, 4);
    std::vector<std::uint64_t> exact(16'000);
    for (int amount = 0; amount < 5; ++amount) {
      const TimePs from = random() % 8000, to = from + random() % 8000;
      const std::uint64_t value = 1 + random() % 1000;
      buckets.add(0, from, to, static_cast<double>(value));
      (from < 4000 ? early : late).add(0, from, to, static_cast<double>(value));
      if (from == to) exact[from] += value;
      for (TimePs at = from; at < to; ++at)
        exact[at] += value * (at + 1 - from) / (to - from) - value * (at - from) / (to - from);
    }
    const auto& sums = buckets.sums(0);
    ASSERT_LE(sums.size(), 4U);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto begin =
          exact.begin() + static_cast<std::ptrdiff_t>(std::min(exact.size(), i * buckets.width_ps()));
      const auto end =
          exact.begin() + static_cast<std::ptrdiff_t>(std::min(exact.size(), (i + 1) * buckets.width_ps()));
      EXPECT_EQ(sums[i], static_cast<double>(std::accumulate(begin, end, std::uint64_t{0}))) << number;
    }
    early.add(late);
    EXPECT_EQ(early.width_ps(), buckets.width_ps()) << number;
    EXPECT_EQ(early.sums(0), sums) << number;
  }
}

}  // namespace
}  // namespace wafertlm
