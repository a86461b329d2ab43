// SPDX-License-Identifier: Apache-2.0
#include "models/fred/geometry/fred_geometry.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/fred/fred_fabric.h"

namespace wafertlm {
namespace {

// fred.md, section 3: FRED(2) is a µswitch, FRED(3) three; a level of recursion has one at each side.
TEST(FredGeometry, StagesFollowTheRecursion) {
  EXPECT_EQ(FredNetwork::stages(2), 1U);
  EXPECT_EQ(FredNetwork::stages(3), 3U);
  EXPECT_EQ(FredNetwork::stages(4), 2U + 1);
  EXPECT_EQ(FredNetwork::stages(5), 2U + 3);
  EXPECT_EQ(FredNetwork::stages(8), 2U + 2 + 1);
  EXPECT_EQ(FredNetwork::stages(10), 2U + 5);
  EXPECT_EQ(FredNetwork::stages(11), 2U + 5);
  EXPECT_EQ(FredNetwork::stages(12), 2U + 5);
}

TEST(FredGeometry, ControllersAreSpreadEvenly) {
  EXPECT_EQ(spread_io(18, 5),
            (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4}));
  EXPECT_EQ(spread_io(2, 3), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(spread_io(0, 5).empty());
}

TEST(FredGeometry, RoutesTurnAtTheFirstCommonSwitch) {
  FredGeometry at{4, 3, 2, {0, 3}};
  const auto level = [&](std::uint32_t from, std::uint32_t to) {
    return at.turn_level(static_cast<NpuId>(from), static_cast<NpuId>(to));
  };
  EXPECT_EQ(level(0, 2), 1U);
  EXPECT_EQ(level(2, 3), 2U);
  EXPECT_EQ(level(5, 6), 3U);
  EXPECT_EQ(level(12, 1), 1U);   // the controller on L1 switch 0
  EXPECT_EQ(level(12, 13), 3U);  // and the one on 3
  at.l2_switches = 3;
  EXPECT_THROW(at.check(), std::invalid_argument);
}

// D: the L1 switch of FRED-C has 4 NPUs, 4 ports up and 4 controllers, a FRED(12).
TEST(FredGeometry, AFastUplinkCountsAsSeveralPorts) {
  FredParams params;
  params.geometry = {5, 4, 1, spread_io(18, 5)};
  params.npu_bytes_per_s = 3'000'000'000'000;
  params.l1_uplink_bytes_per_s = 12'000'000'000'000;
  EXPECT_EQ(params.ports(1), 12U);
  EXPECT_EQ(params.ports(2), 20U);
  params.l1_uplink_bytes_per_s = 1'500'000'000'000;
  EXPECT_EQ(params.ports(1), 9U);
  params.stage_latency_ps = 1000;
  params.link_latency_ps = 20'000;
  EXPECT_EQ(params.head_latency_ps(1), 2 * 20'000 + FredNetwork::stages(9) * 1000U);
  EXPECT_EQ(params.head_latency_ps(2),
            4 * 20'000 + (2 * FredNetwork::stages(9) + FredNetwork::stages(5)) * 1000U);
}

}  // namespace
}  // namespace wafertlm
