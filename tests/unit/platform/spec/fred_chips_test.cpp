// SPDX-License-Identifier: Apache-2.0
// The keys of the physical view of a FRED wafer.
#include <gtest/gtest.h>

#include "platform/fabrics/fred/fred_kind.h"
#include "platform/spec/load.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

std::string preset(const std::string& name) {
  return std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + name + ".yaml";
}

std::string error_of(const std::string& name, const std::vector<std::string>& overrides) {
  try {
    load_platform(preset(name), overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

void expect_refused(const std::string& name, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& parts) {
  const std::string text = error_of(name, overrides);
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(FredChipsKeys, ArriveInTheFabric) {
  const FredParams paper = fred_params(load_platform(preset("fred_d_physical"), {}).wafer, true);
  ASSERT_TRUE(paper.is_physical());
  EXPECT_EQ(paper.chips.port_bytes_per_s, 600'000'000'000U);
  EXPECT_EQ(paper.chips.chips_per_l1, 5U);
  EXPECT_EQ(paper.chips.up_ports, 4U);
  EXPECT_EQ(paper.chips.l2_links, 2U);
  EXPECT_EQ(paper.ports(1), 12U);
  EXPECT_EQ(paper.ports(2), 10U);
  const FredParams other = fred_params(
      load_platform(preset("fred_c_physical"),
                    {"wafer.fabric.port_bandwidth=1TB/s", "wafer.fabric.l1_uplink=9TB/s",
                     "wafer.fabric.l2_chip_links=3", "wafer.fabric.dead={l1: [[4, 2]], l2: [0, 2]}"})
          .wafer,
      false);
  EXPECT_EQ(other.chips.chips_per_l1, 3U);
  EXPECT_EQ(other.chips.up_ports, 3U);
  EXPECT_EQ(other.chips.l2_links, 3U);
  EXPECT_EQ(other.chips.dead.l1, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{4, 2}}));
  EXPECT_EQ(other.chips.dead.l2, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(fred_params(load_platform(preset("fred_d"), {}).wafer, true).is_physical());
}

// fred.md, section 4: "A and B's 1.5 TB/s uplink is 2.5 ports".
TEST(FredChipsKeys, WhatCannotBeBuiltSaysWhatCan) {
  for (const char* name : {"fred_a", "fred_b"})
    expect_refused(name, {"wafer.fabric.view=physical"},
                   {"l1_uplink", "1.5 TB/s are 0.5 ports of 600 GB/s on each of the 5 chips",
                    "it must be a whole number of them: 3 TB/s"});
  expect_refused("fred_c", {"wafer.fabric.view=physical", "wafer.fabric.l1_uplink=10TB/s"},
                 {"3.333 ports", "a whole number of them: 9 TB/s or 12 TB/s"});
  expect_refused("fred_c_physical", {"wafer.fabric.npu_bandwidth=2TB/s"},
                 {"npu_bandwidth", "3.333 ports of 600 GB/s", "1.8 TB/s or 2.4 TB/s"});
  expect_refused("fred_c_physical", {"wafer.fabric.l2_chip_links=3"},
                 {"l2_chip_links", "4 ports", "expected 1, 2 or 4"});
  expect_refused("fred_c_physical", {"wafer.fabric.l2_switches=5", "wafer.fabric.l2_uplink=9TB/s"},
                 {"l2_switches", "two levels"});
}

TEST(FredChipsKeys, OfTheLogicalViewHaveNone) {
  for (const char* key : {"port_bandwidth=700GB/s", "l2_chip_links=1", "dead.l2=[1]", "dead.l1=[[1, 1]]"})
    expect_refused("fred_c", {std::string("wafer.fabric.") + key},
                   {"no effect without 'wafer.fabric.view: physical'"});
  expect_refused("wafer_mesh_5x4", {"wafer.fabric.view=physical"}, {"view"});
}

TEST(FredChipsKeys, DeadChipsExistAndAreListedOnce) {
  const auto expect = [](const std::string& dead, const std::string& part) {
    expect_refused("fred_d_physical", {"wafer.fabric.dead=" + dead}, {part});
  };
  expect("{l2: [10]}", "there is no L2 chip 10 of 10");
  expect("{l1: [[5, 0]]}", "there is no chip 0 of L1 switch 5");
  expect("{l1: [[0, 5]]}", "there is no chip 5 of L1 switch 0");
  expect("{l2: [3, 3]}", "L2 chip 3 of 10 is listed twice");
  expect("{l1: [[2, 1], [2, 1]]}", "chip 1 of L1 switch 2 is listed twice");
}

}  // namespace
}  // namespace wafertlm::config
