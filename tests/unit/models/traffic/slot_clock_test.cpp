// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/slot_clock.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(SlotClock, WholePicosecondsStay) {
  const SlotClock clock(16, 16'000'000'000);
  EXPECT_EQ(clock.begin_ps(0), 0U);
  EXPECT_EQ(clock.begin_ps(7), 7'000U);
  EXPECT_DOUBLE_EQ(clock.period_ps(), 1000);
}

// 4096 B at 3 TB/s take 1365 1/3 ps.
TEST(SlotClock, ASlotBeginsAtTheFirstPicosecondNotBeforeIt) {
  const SlotClock clock(4096, 3'000'000'000'000);
  EXPECT_EQ(clock.begin_ps(1), 1366U);
  EXPECT_EQ(clock.begin_ps(2), 2731U);
  EXPECT_EQ(clock.begin_ps(3), 4096U);
}

// 10^15 slots of 1/3 ps: what is rounded does not add up, and nothing overflows.
TEST(SlotClock, RoundingDoesNotAddUp) {
  const SlotClock clock(1, 3'000'000'000'000);
  EXPECT_EQ(clock.begin_ps(3'000'000'000'000'000), 1'000'000'000'000'000U);
  EXPECT_EQ(clock.begin_ps(3'000'000'000'000'001), 1'000'000'000'000'001U);
}

}  // namespace
}  // namespace wafertlm
