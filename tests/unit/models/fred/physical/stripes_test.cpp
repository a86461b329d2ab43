// SPDX-License-Identifier: Apache-2.0
#include "models/fred/geometry/chip_wiring.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

#include "models/fred/physical/chip_fabric.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

using DeadL1 = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

ChipWiring wiring(const DeadL1& dead_l1 = {}, const std::vector<std::uint32_t>& dead_l2 = {}) {
  return ChipWiring({5, 4, 1, spread_io(18, 5)}, {600'000'000'000, 5, 4, 2, {dead_l1, dead_l2, {}}});
}

TEST(Stripes, SuccessivePacketsGoOverDifferentChipsAndThenPortsUp) {
  const ChipWiring wafer = wiring();
  const Stripes stripes(wafer);
  EXPECT_EQ(stripes.between(2, 2).size(), 5U);
  EXPECT_EQ(stripes.between(0, 4).size(), 20U);
  EXPECT_EQ(stripes.most(), 20U);
  for (std::uint32_t lane = 0; lane < 40; ++lane) {
    EXPECT_EQ(wafer.chip_of(stripes.way(1, 1, lane)), lane % 5);
    EXPECT_EQ(wafer.chip_of(stripes.way(1, 3, lane)), lane % 5);
    EXPECT_EQ(wafer.up_port_of(stripes.way(1, 3, lane)), lane / 5 % 4);
  }
}

TEST(Stripes, ADeadL1ChipTakesAFifthOfItsOwnSwitch) {
  const ChipWiring wafer = wiring({{1, 3}});
  const Stripes stripes(wafer);
  EXPECT_EQ(stripes.between(1, 1), (std::vector<std::uint32_t>{0, 1, 2, 4}));
  EXPECT_EQ(stripes.between(1, 2).size(), 16U);
  EXPECT_EQ(stripes.between(2, 1).size(), 16U);
  EXPECT_EQ(stripes.between(0, 2).size(), 20U);
  EXPECT_EQ(stripes.among({0, 2, 3, 4}).size(), 20U);
  EXPECT_EQ(stripes.among({0, 1, 2, 1}).size(), 16U);
}

TEST(Stripes, ADeadL2ChipTakesTwoWaysOfTwentyAndNoneBelow) {
  const ChipWiring wafer = wiring({}, {7});  // of chip 3, its second
  const Stripes stripes(wafer);
  EXPECT_EQ(stripes.between(1, 1).size(), 5U);
  EXPECT_EQ(stripes.between(1, 2).size(), 18U);
  for (const std::uint32_t way : stripes.between(1, 2)) EXPECT_NE(wafer.l2_of(way), 7U);
}

TEST(Stripes, SaysWhenNothingIsLeft) {
  const DeadL1 all = {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}};
  EXPECT_EQ(
      test::refusal_of([&] { Stripes{wiring(all)}; }),
      "all chips of L1 switch 2 are dead (wafer.defects.chips, wafer.fabric.dead); let one of them live");
  EXPECT_EQ(test::refusal_of([] {
              Stripes{wiring({}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})};
            }),
            "no way from chip to chip serves all of the L1 switches 0, 1 (wafer.defects.chips, "
            "wafer.fabric.dead): let a chip or an uplink live");
  // Each pair has a way, but no way serves all five.
  const Stripes stripes(wiring({{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}));
  EXPECT_EQ(stripes.among({0, 1}).size(), 12U);
  EXPECT_EQ(test::refusal_of([&] {
              stripes.among({4, 1, 2, 3, 0, 1});
            }),
            "no way from chip to chip serves all of the L1 switches 0, 1, 2, 3, 4 (wafer.defects.chips, "
            "wafer.fabric.dead): let a "
            "chip or an uplink live, or leave the collectives to the endpoints (in_network: false)");
}

// Every packet from everywhere to everywhere, by the wires of the chips: it arrives, over living chips only.
TEST(Stripes, RoutesLeadFromChipToChipWithoutDeadOnes) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    DeadL1 dead_l1;
    std::vector<std::uint32_t> dead_l2;
    for (int k = 0; k < round % 4; ++k)
      dead_l1.emplace_back(static_cast<std::uint32_t>(random() % 5),
                           static_cast<std::uint32_t>(random() % 2));
    for (int k = 0; k < round % 3; ++k) dead_l2.push_back(static_cast<std::uint32_t>(random() % 10));
    const ChipRouting routing(wiring(dead_l1, dead_l2));
    const ChipWiring& wafer = routing.wiring;
    for (std::uint32_t from = 0; from < 38; ++from)
      for (std::uint32_t to = 0; to < 38; ++to) {
        if (from == to) continue;
        Packet packet;
        packet.source = static_cast<NpuId>(from);
        packet.destination = static_cast<NpuId>(to);
        packet.lane = static_cast<std::uint32_t>(random() % 1000);
        const std::uint32_t a = routing.l1_of(packet.source), b = routing.l1_of(packet.destination);
        const std::size_t out = index_of(PortsRoute(routing, packet.source).output_for(packet));
        ASSERT_GE(out, 1U);
        const auto chip = static_cast<std::uint32_t>(out - 1);
        ASSERT_TRUE(wafer.is_alive_l1(a, chip));
        ASSERT_TRUE(wafer.is_alive_l1(b, chip));
        const std::size_t up = index_of(L1ChipRoute(routing, a).output_for(packet));
        if (a == b) {
          ASSERT_EQ(up, wafer.port_of(packet.destination));
          continue;
        }
        ASSERT_GE(up, 4U);
        ASSERT_LT(up, 8U);
        // The wire behind it, and the one that the L2 chip chooses.
        const std::uint32_t way = static_cast<std::uint32_t>(up - 4) * 5 + chip;
        ASSERT_TRUE(wafer.is_alive_l2(wafer.l2_of(way)));
        ASSERT_EQ(index_of(L2ChipRoute(routing).output_for(packet)), wafer.l2_port(b, way));
        ASSERT_EQ(index_of(L1ChipRoute(routing, b).output_for(packet)), wafer.port_of(packet.destination));
      }
  }
}

}  // namespace
}  // namespace wafertlm
