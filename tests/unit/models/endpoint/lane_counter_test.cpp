// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/lane_counter.h"

#include <gtest/gtest.h>

#include <set>

namespace wafertlm {
namespace {

TEST(LaneCounter, CountsEachDestinationAndBeginsElsewhereForEach) {
  LaneCounter lanes(NpuId{3}, true);
  EXPECT_EQ(lanes.next(NpuId{9}), 12U);
  EXPECT_EQ(lanes.next(NpuId{9}), 13U);
  EXPECT_EQ(lanes.next(NpuId{0}), 3U);
  EXPECT_EQ(lanes.next(NpuId{9}), 14U);
  EXPECT_EQ(lanes.next(NpuId{0}), 4U);
  std::set<std::uint32_t> from_others;  // first packets to one destination
  for (std::uint32_t sender = 0; sender < 5; ++sender)
    from_others.insert(LaneCounter(static_cast<NpuId>(sender), true).next(NpuId{9}) % 5);
  EXPECT_EQ(from_others.size(), 5U);
}

TEST(LaneCounter, DoesNotCountWithoutStripes) {
  LaneCounter lanes(NpuId{3}, false);
  EXPECT_EQ(lanes.next(NpuId{9}), 0U);
  EXPECT_EQ(lanes.next(NpuId{9}), 0U);
}

}  // namespace
}  // namespace wafertlm
