// SPDX-License-Identifier: Apache-2.0
#include "models/fred/geometry/chip_wiring.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

// fred.md, section 4: FRED-C and D.
FredGeometry paper_geometry() { return {5, 4, 1, spread_io(18, 5)}; }
FredChipParams paper_chips() { return {600'000'000'000, 5, 4, 2, {}}; }

TEST(ChipWiring, ThePapersWaferHas35Chips) {
  const ChipWiring wiring(paper_geometry(), paper_chips());
  std::map<std::uint32_t, std::uint32_t> chips;  // by ports
  for (std::uint32_t l1 = 0; l1 < 5; ++l1) chips[wiring.l1_chip_ports(l1)] += 5;
  chips[wiring.l2_ports()] += wiring.l2_chips();
  // 15 x FRED(12), 10 x FRED(11), 10 x FRED(10)
  EXPECT_EQ(chips, (std::map<std::uint32_t, std::uint32_t>{{12, 15}, {11, 10}, {10, 10}}));
  EXPECT_EQ(wiring.l1_chips() + wiring.l2_chips(), 35U);
  EXPECT_EQ(wiring.ways(), 20U);
}

/// Every port up of every L1 chip is joined to a port of its own, a way has one L2 chip, and an L2 chip has
/// `links` ports to each L1 switch.
void expect_well_wired(const FredGeometry& geometry, const FredChipParams& chips) {
  const ChipWiring wiring(geometry, chips);
  std::set<std::pair<std::uint32_t, std::uint32_t>> down_ports, up_ports;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links;  // (L2 chip, L1 switch)
  for (std::uint32_t way = 0; way < wiring.ways(); ++way)
    for (std::uint32_t l1 = 0; l1 < geometry.l1_switches; ++l1) {
      EXPECT_LT(wiring.l2_of(way), wiring.l2_chips());
      EXPECT_LT(wiring.l2_port(l1, way), wiring.l2_ports());
      EXPECT_LT(wiring.up_port(way), wiring.l1_chip_ports(l1));
      EXPECT_GE(wiring.up_port(way), geometry.npus_per_l1);
      EXPECT_TRUE(up_ports.insert({wiring.l1_chip(l1, wiring.chip_of(way)), wiring.up_port(way)}).second);
      EXPECT_TRUE(down_ports.insert({wiring.l2_of(way), wiring.l2_port(l1, way)}).second);
      ++links[{wiring.l2_of(way), l1}];
    }
  EXPECT_EQ(down_ports.size(), std::size_t{wiring.l2_chips()} * wiring.l2_ports());
  for (const auto& [between, count] : links) EXPECT_EQ(count, chips.l2_links);
}

TEST(ChipWiring, EveryPortIsJoinedOnce) {
  expect_well_wired(paper_geometry(), paper_chips());
  expect_well_wired({3, 2, 1, {0, 2}}, {100, 1, 2, 1, {}});
  expect_well_wired({64, 16, 1, {}}, {100, 5, 16, 4, {}});
}

TEST(ChipWiring, EndpointsHaveTheSamePortOnAllChips) {
  const ChipWiring wiring(paper_geometry(), paper_chips());
  std::map<std::uint32_t, std::set<std::uint32_t>> used;  // by L1 switch
  for (std::uint32_t e = 0; e < 38; ++e) {
    const auto endpoint = static_cast<NpuId>(e);
    const std::uint32_t l1 = wiring.geometry().l1_of(endpoint);
    EXPECT_TRUE(used[l1].insert(wiring.port_of(endpoint)).second);
    EXPECT_LT(wiring.port_of(endpoint), wiring.l1_chip_ports(l1));
    EXPECT_EQ(wiring.ports_of(endpoint), 35 + e);
  }
  EXPECT_EQ(wiring.port_of(NpuId{7}), 3U);
  EXPECT_EQ(wiring.port_of(NpuId{20}), 8U);  // the first controller comes after four NPUs and four ports up
}

TEST(ChipWiring, RefusesWhatCannotBeBuilt) {
  const auto refusal = [](const std::function<void(FredChipParams&)>& change) -> std::string {
    FredChipParams chips = paper_chips();
    change(chips);
    const std::string text = test::refusal_of([&] { chips.check(paper_geometry()); });
    const std::string start = "chips of a FRED wafer: ";
    EXPECT_TRUE(text.empty() || text.substr(0, start.size()) == start) << text;
    return text.empty() ? "" : text.substr(start.size());
  };
  const std::string none = "chips, their ports and the bandwidth of these cannot be 0";
  EXPECT_EQ(refusal([](auto& chips) { chips.port_bytes_per_s = 0; }), none);
  EXPECT_EQ(refusal([](auto& chips) { chips.chips_per_l1 = 0; }), none);
  EXPECT_EQ(refusal([](auto& chips) { chips.up_ports = 0; }), none);
  EXPECT_EQ(refusal([](auto& chips) { chips.l2_links = 0; }), none);
  EXPECT_EQ(refusal([](auto& chips) { chips = {1, 1, 1, 1, {}}; }), "");
  EXPECT_EQ(refusal([](auto& chips) { chips.l2_links = 3; }),
            "4 ports up of a chip cannot be shared by L2 chips with 3 links each");
  EXPECT_EQ(refusal([](auto& chips) { chips.l2_links = 4; }), "");
  EXPECT_EQ(refusal([](auto& chips) { chips.dead.l1 = {{4, 4}}; }), "");
  EXPECT_EQ(refusal([](auto& chips) {
              chips.dead.l1 = {{0, 0}, {4, 5}};
            }),
            "there is no chip 5 of L1 switch 4");
  EXPECT_EQ(refusal([](auto& chips) { chips.dead.l1 = {{5, 4}}; }), "there is no chip 4 of L1 switch 5");
  EXPECT_EQ(refusal([](auto& chips) { chips.dead.l2 = {9}; }), "");
  EXPECT_EQ(refusal([](auto& chips) { chips.dead.l2 = {9, 10}; }), "there is no L2 chip 10 of 10");
  EXPECT_EQ(test::refusal_of([] {
              ChipWiring({4, 4, 2, {}}, paper_chips());
            }),
            "chips of a FRED wafer: they are wired in two levels, with one logical L2 switch");
}

}  // namespace
}  // namespace wafertlm
