// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/busy_time.h"

#include <gtest/gtest.h>

#include <random>

namespace wafertlm {
namespace {

// Buckets of 1 ns: 0.3 ns in the first, all of the second, nothing in the third, 0.6 ns in the fourth.
TEST(BusyTime, IsNoMoreThanThePartOfABucketWithin) {
  TimeBuckets buckets(2);
  buckets.add(1, 700, 2000, 1300);
  buckets.add(1, 3000, 3600, 600);
  ASSERT_EQ(buckets.width_ps(), 1000U);
  const auto busy = [&](TimePs from, TimePs to) { return busy_between(buckets, 1, from, to); };
  EXPECT_EQ(busy(0, 4000), 1900U);
  EXPECT_EQ(busy(0, 9000), 1900U);
  EXPECT_EQ(busy(0, 1000), 300U);
  EXPECT_EQ(busy(0, 250), 250U) << "as if all of the 300 were there";
  EXPECT_EQ(busy(900, 2100), 1100U);
  EXPECT_EQ(busy(1200, 1500), 300U);
  EXPECT_EQ(busy(2000, 3000), 0U);
  EXPECT_EQ(busy(2500, 3100), 100U);
  EXPECT_EQ(busy(3200, 3900), 600U);
  EXPECT_EQ(busy(1500, 1500), 0U);
  EXPECT_EQ(busy(5000, 9000), 0U);
  EXPECT_EQ(busy_between(buckets, 0, 0, 9000), 0U);
}

TEST(BusyTime, IsNeverBelowTheTruth) {
  std::mt19937_64 random(3);
  TimeBuckets buckets(1, 16);
  std::vector<std::pair<TimePs, TimePs>> times;
  for (TimePs at = 0; at < 100'000;) {
    const TimePs begin = at + random() % 3000, end = begin + 1 + random() % 3000;
    times.emplace_back(begin, end);
    buckets.add(0, begin, end, static_cast<double>(end - begin));
    at = end;
  }
  for (int k = 0; k < 200; ++k) {
    const TimePs from = random() % 90'000, to = from + random() % 10'000;
    TimePs truth = 0;
    for (const auto& [begin, end] : times)
      if (std::max(begin, from) < std::min(end, to)) truth += std::min(end, to) - std::max(begin, from);
    const TimePs busy = busy_between(buckets, 0, from, to);
    EXPECT_GE(busy, truth);
    EXPECT_LE(busy, std::min(to - from, truth + 2 * buckets.width_ps()));
  }
}

}  // namespace
}  // namespace wafertlm
