// SPDX-License-Identifier: Apache-2.0
// wafer.defects: what is read from lists and wafer maps, what each NPU and link then has, and what is
// refused.
#include <gtest/gtest.h>

#include "models/mesh/mesh_topology.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/graph/graph_kind.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/spec/platform_spec.h"
#include "platform/text/config_error.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

PlatformSpec with_defects(const std::string& preset, const std::string& defects,
                          const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = more;
  keys.push_back("wafer.defects=" + defects);
  return load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/" + preset + ".yaml", keys);
}

std::string refusal(const std::string& preset, const std::string& defects,
                    const std::vector<std::string>& more = {}) {
  return test::refusal_of<ConfigError>([&] { with_defects(preset, defects, more); });
}

void expect_bad_defects(const std::string& preset, const std::string& defects, const std::string& why,
                        const std::vector<std::string>& more = {}) {
  const std::string message = refusal(preset, defects, more);
  EXPECT_NE(message.find(why), std::string::npos) << defects << ": " << message;
  EXPECT_NE(message.find("wafer.defects"), std::string::npos) << message;
}

TEST(SlowParts, LinksOfAMeshHaveTheirShareInTheDirectionsNamed) {
  const MeshTopology mesh(mesh_params(
      with_defects("wafer_mesh_5x4",
                   "{slow_links: [{link: 5-6, speed_percent: 50}, {link: 8->7, speed_percent: 10}]}")
          .wafer));
  const auto rate = [&](std::uint32_t from, Direction side) {
    return mesh.link(mesh_link(static_cast<NpuId>(from), side)).bytes_per_s;
  };
  EXPECT_EQ(rate(5, Direction::east), 375'000'000'000U);
  EXPECT_EQ(rate(6, Direction::west), 375'000'000'000U);
  EXPECT_EQ(rate(8, Direction::west), 75'000'000'000U);
  EXPECT_EQ(rate(7, Direction::east), 750'000'000'000U);
  EXPECT_EQ(mesh.path_bytes_per_s(NpuId{9}, NpuId{6}), 75'000'000'000U);
  EXPECT_EQ(mesh.npu_sends_bytes_per_s(NpuId{5}), (2 * 750 + 375) * std::uint64_t{1'000'000'000});
}

TEST(SlowParts, NpusHaveTheirSpeedAndPartOfTheirMemory) {
  const PlatformSpec platform = with_defects(
      "wafer_mesh_5x4", "{slow_npus: [{npu: 3, speed_percent: 80}], hbm: [{npu: 4, share_percent: 75}]}");
  EXPECT_EQ(compute_params(platform, NpuId{3}).speed_percent, 80U);
  EXPECT_EQ(compute_params(platform, NpuId{4}).speed_percent, 100U);
  const HbmParams whole = hbm_params(platform, NpuId{3}), part = hbm_params(platform, NpuId{4});
  EXPECT_EQ(4 * part.timing.read_bandwidth_bytes_per_s, 3 * whole.timing.read_bandwidth_bytes_per_s);
  EXPECT_EQ(4 * part.timing.write_bandwidth_bytes_per_s, 3 * whole.timing.write_bandwidth_bytes_per_s);
  EXPECT_EQ(4 * part.capacity_bytes, 3 * whole.capacity_bytes);
  EXPECT_EQ(hbm_capacity_bytes(platform, NpuId{4}), part.capacity_bytes);
  EXPECT_EQ(4 * compute_params(platform, NpuId{4}).memory_bytes_per_s,
            3 * compute_params(platform, NpuId{3}).memory_bytes_per_s);
}

TEST(SlowParts, AreReadFromAWaferMap) {
  const test::TempFolder folder;
  folder.write("map.csv",
               "kind,part,percent\nrouter,7\nslow_link,5->6,50  # a bin\nslow_npu,3,80\nhbm,4,50\nio,2\n");
  const auto load = [&] {
    return load_platform(folder.write("p.yaml", "extends: " WAFERTLM_SOURCE_DIR
                                                "/configs/platforms/wafer_mesh_5x4.yaml\nwafer:\n  io: "
                                                "{controllers: perimeter}\n  defects: map.csv\n"));
  };
  const DefectsSpec defects = load().wafer.fabric.defects;
  ASSERT_EQ(defects.slow_links.size(), 1U);
  EXPECT_EQ(defects.slow_links[0].link.text(), "5->6");
  EXPECT_EQ(defects.slow_links[0].speed_percent, 50U);
  EXPECT_EQ(defects.speed_percent(NpuId{3}), 80U);
  EXPECT_EQ(defects.hbm_percent(NpuId{4}), 50U);
  EXPECT_EQ(defects.io, std::vector<std::uint32_t>{2});
  folder.write("map.csv", "router,7\nslow_link,5->6\n");
  EXPECT_NE(test::refusal_of<ConfigError>(load).find("map.csv:2:1: expected a line such as 'slow_link,3,50'"),
            std::string::npos);
  folder.write("map.csv", "slow_npu,3,180\n");
  EXPECT_NE(test::refusal_of<ConfigError>(load).find("map.csv:1:12"), std::string::npos);
}

TEST(Defects, ControllersThatAreGoneLeaveTheOthers) {
  const std::vector<std::string> perimeter = {"wafer.io.controllers=perimeter"};
  const auto places = [&](const std::string& defects) {
    std::vector<std::pair<NpuId, Side>> found;
    for (const IoPort& port : io_ports(with_defects("wafer_mesh_5x4", defects, perimeter).wafer))
      found.emplace_back(port.npu, port.side);
    return found;
  };
  auto left = places("{}");
  left.erase(left.begin() + 2);
  EXPECT_EQ(places("{io: [2]}"), left);
  expect_bad_defects("wafer_mesh_5x4", "{io: [18]}", "there is no I/O controller 18; the wafer has 18",
                     perimeter);
  expect_bad_defects("wafer_mesh_5x4", "{io: [2, 2]}", "it is listed twice", perimeter);
  EXPECT_EQ(fred_params(with_defects("fred_d", "{io: [0]}", {"wafer.io.controllers=3"}).wafer, true)
                .geometry.io.size(),
            2U);
}

TEST(Defects, ALinkIsListedOnce) {
  expect_bad_defects("wafer_mesh_5x4", "{links: [5-6, 6-5]}", "the link 6-5 is listed twice");
  expect_bad_defects("wafer_mesh_5x4", "{links: [5-6, 5->6]}", "the link 5->6 is listed twice");
  expect_bad_defects("wafer_mesh_5x4", "{links: [5-6], slow_links: [{link: 5-6, speed_percent: 50}]}",
                     "the link 5-6 is listed twice");
  EXPECT_NO_THROW(with_defects("wafer_mesh_5x4", "{links: [5->6, 6->5]}"));
}

TEST(Defects, WhatAFabricDoesNotHaveIsRefused) {
  expect_bad_defects("wafer_mesh_5x4", "{links: [5-7]}", "5-7 is no link");
  expect_bad_defects("wafer_mesh_5x4", "{links: [a-7]}", "'a-7' is no link of a mesh");
  expect_bad_defects("wafer_mesh_5x4", "{slow_npus: [{npu: 20, speed_percent: 50}]}", "there is no NPU 20");
  expect_bad_defects("wafer_mesh_5x4", "{npus: [3], slow_npus: [{npu: 3, speed_percent: 50}]}",
                     "NPU 3 does not work at all");
  expect_bad_defects("wafer_mesh_5x4", "{switches: [leaf0]}",
                     "switches that do not work are not known of kind mesh");
  expect_bad_defects("wafer_mesh_5x4_hbm3", "{hbm: [{npu: 3, share_percent: 70}]}",
                     "is no whole number of them");
  expect_bad_defects("fred_d_physical", "{links: [0-1]}",
                     "links that do not work are not known of kind fred");
  expect_bad_defects("fred_d_physical", "{chips: {l1: [[5, 0]]}}", "there is no chip 0 of L1 switch 5");
  expect_bad_defects("fred_d_physical", "{chips: {uplinks: [{l1_switch: 0, chip: 0, port: 4}]}}",
                     "there is no port 4 up of chip 0 of L1 switch 0");
  expect_bad_defects("fred_d", "{chips: {l2: [0]}}", "take wafer.fabric.view: physical");
  expect_bad_defects("graph_fat_tree_16", "{switches: [leaf4]}", "there is no 'leaf4'");
  expect_bad_defects("graph_fat_tree_16", "{switches: [npu4]}", "'npu4' is no switch; list it under npus");
  expect_bad_defects("graph_fat_tree_16", "{links: [leaf0-leaf1]}", "there is no link from leaf0 to leaf1");
  expect_bad_defects("graph_fat_tree_16", "{links: [a-b-c]}", "which '-' is the link's?");
}

TEST(Defects, TheNpusOfADeadSwitchTakeNoPart) {
  const PlatformSpec platform = with_defects("graph_fat_tree_16", "{switches: [leaf2], npus: [0]}");
  const FabricSpec& fabric = platform.wafer.fabric;
  EXPECT_EQ(fabric.kind->failed_npus(fabric),
            (std::vector<NpuId>{NpuId{0}, NpuId{8}, NpuId{9}, NpuId{10}, NpuId{11}}));
  const auto graph = fabric.as<GraphSpec>().built(fabric.defects);
  EXPECT_TRUE(graph->reaches(NpuId{1}, NpuId{15}));
  EXPECT_FALSE(graph->reaches(NpuId{1}, NpuId{8}));
}

TEST(Defects, RoutesOfAGraphAreFoundAgain) {
  const PlatformSpec platform = with_defects("graph_fat_tree_16", "{links: [leaf0-spine0, leaf1-spine1]}");
  const auto whole = platform.wafer.fabric.as<GraphSpec>().built(),
             graph = platform.wafer.fabric.as<GraphSpec>().built(platform.wafer.fabric.defects);
  EXPECT_EQ(whole->hops(NpuId{0}, NpuId{4}), 2U);
  EXPECT_EQ(graph->hops(NpuId{0}, NpuId{4}), 4U);  // up, down, up and down over another leaf
  EXPECT_EQ(graph->hops(NpuId{8}, NpuId{12}), 2U);
}

}  // namespace
}  // namespace wafertlm::config
