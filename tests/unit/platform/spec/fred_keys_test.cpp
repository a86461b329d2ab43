// SPDX-License-Identifier: Apache-2.0
// The keys of a FRED wafer, and keys of a mesh beside them.
#include <gtest/gtest.h>

#include "platform/fabrics/fred/fred_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/same_spec.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

const std::string kFredC = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_c.yaml";

// Eight lines.
const std::string kFred =
    "platform: tree\n"
    "wafer:\n"
    "  fabric:\n"
    "    kind: fred\n"
    "    l1_switches: 4\n"
    "    npus_per_l1: 3\n"
    "    l1_uplink: 2 TB/s\n"
    "    link_latency: 5 ns\n";

TEST(FredKeys, ArriveInTheFabric) {
  const PlatformSpec spec =
      load_platform(kFredC, {"wafer.fabric.l2_switches=5", "wafer.fabric.l2_uplink=9TB/s",
                             "wafer.fabric.stage_latency=1ns", "wafer.io.controllers=7"});
  EXPECT_EQ(spec.wafer.npu_count(), 20U);
  const FredParams fred = fred_params(spec.wafer, true);
  EXPECT_EQ(fred.geometry.levels(), 3U);
  EXPECT_EQ(fred.l1_uplink_bytes_per_s, 12'000'000'000'000U);
  EXPECT_EQ(fred.l2_uplink_bytes_per_s, 9'000'000'000'000U);
  EXPECT_EQ(fred.stage_latency_ps, 1000U);
  EXPECT_EQ(fred.geometry.io, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 3, 4}));
  EXPECT_EQ(fred_params(spec.wafer, false).geometry.io.size(), 0U);
}

TEST(FredKeys, OfFlowsArriveInTheFabric) {
  const PlatformSpec spec = load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_b.yaml",
      {"wafer.fabric.flows_per_buffer=3", "wafer.fabric.flow_packets=5", "wafer.fabric.flow_conflict=refuse",
       "wafer.fabric.flow_reservation=false", "wafer.fabric.phase_rule=true", "wafer.fabric.phase_change=7ns",
       "wafer.fabric.middle_switches=2", "wafer.fabric.route_search=backtracking"});
  const FredParams fred = fred_params(spec.wafer, true);
  ASSERT_TRUE(fred.in_network);
  EXPECT_EQ(fred.flows.per_buffer, 3U);
  EXPECT_EQ(fred.flows.credit_packets, 5U);
  EXPECT_EQ(fred.flows.conflict, FlowConflict::refuse);
  EXPECT_FALSE(fred.flows.reservation);
  EXPECT_TRUE(fred.flows.phase_rule);
  EXPECT_EQ(fred.flows.phase_change_ps, 7000U);
  EXPECT_EQ(fred.flows.middle_switches, 2U);
  EXPECT_EQ(fred.flows.route_search, FredRouteMode::backtracking);
  const PlatformSpec steps =
      load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_b.yaml",
                    {"wafer.fabric.flow_conflict=decompose"});
  EXPECT_EQ(fred_params(steps.wafer, true).flows.conflict, FlowConflict::decompose);
  EXPECT_TRUE(fabric_kind(steps.wafer).traits(steps.wafer).flows_decompose);
  EXPECT_FALSE(fred_params(load_platform(kFredC, {}).wafer, true).in_network);
}

TEST(FredKeys, TheResolvedFileIsTheSamePlatform) {
  const test::TempFolder folder;
  for (const char* name : {"fred_a", "fred_b", "fred_c", "fred_d"}) {
    const PlatformSpec spec =
        load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + name + ".yaml");
    const std::string text = resolved_yaml(spec);
    EXPECT_EQ(text.find("link_bandwidth"), std::string::npos);
    EXPECT_EQ(text.find("width: 0"), std::string::npos);
    EXPECT_TRUE(spec == load_platform(folder.write("resolved.yaml", text))) << text;
  }
}

TEST(FredKeys, OfTheOtherKindAreErrors) {
  const test::TempFolder folder;
  const std::vector<Bad> table = {
      {kFred + "    link_bandwidth: 1 GB/s\n", ":9:5:", {"goes with 'kind: mesh'", "beside 'kind: fred'"}},
      {kFred + "    failed_routers: [1]\n", ":9:5:", {"'failed_routers'", "goes with 'kind: mesh'"}},
      {kFred + "  width: 3\n", ":9:10:", {"wafer.width", "has no effect beside 'fred'"}},
      {kFred + "  topology: mesh\n", ":9:3:", {"unknown key 'topology'"}},
      {kFred + "  io: {controllers: perimeter}\n", ":9:21:", {"no edge", "give the number"}},
      {kFred + "    l2_switches: 3\n", ":9:18:", {"4 L1 switches cannot be shared evenly by 3"}},
      {kFred + "    flows_per_buffer: 3\n", ":9:23:", {"no effect without 'wafer.fabric.in_network: true'"}},
      {kFred + "    in_network: true\n    virtual_channels: 9\n", ":10:23:", {"at most 8"}},
      {kFred + "    in_network: true\n    flow_packets: 1\n", ":10:19:", {"2"}},
      {kFred + "    l2_switches: 2\n", ":9:18:", {"need an uplink", "wafer.fabric.l2_uplink"}},
      {kFred + "    l2_uplink: 1 TB/s\n", ":9:16:", {"a single L2 switch has no uplink"}},
      {kGood + "    l1_uplink: 1 TB/s\n", ":8:5:", {"goes with 'kind: fred'", "beside 'kind: mesh'"}},
      {kGood + "    kind: fred\n", ":7:5:", {"'link_bandwidth'", "goes with 'kind: mesh'"}},
      {kGood + "    kind: ring\n", ":8:11:", {"unknown value 'ring'", "mesh"}},
      {kGood + "  io: {controllers: 18}\n", ":8:21:", {"goes with 'wafer.fabric.kind: fred'"}},
      {"platform: x\nwafer: {fabric: {kind: fred, npus_per_l1: 2, l1_uplink: 1 TB/s}}\n",
       ":2:17:",
       {"missing required key 'l1_switches'"}},
  };
  for (const Bad& bad : table) {
    const std::string file = folder.write("bad.yaml", bad.text);
    expect_error(bad, file, [&] { load_platform(file); });
  }
}

}  // namespace
}  // namespace wafertlm::config
