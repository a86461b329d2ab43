// SPDX-License-Identifier: Apache-2.0
// Several switches of a wafer in RTL, of one design and of several, each with its own scoreboard.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;

struct Outcome {
  test::ToolResult result;
  double time_s = 0;
  json rtl;
};

/// An all-to-all on the small mesh.
Outcome run(const std::string& rtl, const std::string& more = "",
            const std::string& collective = "mesh_3x3_rtl.yaml --type all_to_all --size 32KiB") {
  const test::TempFolder folder;  // for waveforms
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  Outcome made;
  made.result = test::run_tool("collective " WAFERTLM_SOURCE_DIR "/configs/platforms/" + collective +
                               " --json "
                               "--set 'wafer.fabric.rtl=[" +
                               rtl + "]" + more + "'");
  std::filesystem::current_path(before);
  if (made.result.exit_code != 0) return made;
  const json row = json::parse(made.result.out)["rows"][0];
  made.time_s = row["time_s"];
  if (row.contains("rtl")) made.rtl = row["rtl"];
  return made;
}

void expect_carried(const json& view, const char* name, const char* design) {
  EXPECT_EQ(view["switch"], name);
  EXPECT_EQ(view["design"], design);
  const json& board = view["scoreboard"];
  EXPECT_TRUE(board["equal"].get<bool>()) << view.dump(2);
  EXPECT_GT(view["packets_in"].get<int>(), 100);
  EXPECT_EQ(board["data_compared"], view["packets_in"]);
}

TEST(SeveralSwitches, ARowBesideItsModelIsEqualToTheCycle) {
  const Outcome both = run(R"({switch: "router[345]", view: both, design: mesh_router, tolerance: 0})");
  ASSERT_EQ(both.result.exit_code, 0) << both.result.error;
  ASSERT_EQ(both.rtl.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_carried(both.rtl[k], ("router" + std::to_string(3 + k)).c_str(), "mesh_router");
    EXPECT_EQ(both.rtl[k]["scoreboard"]["largest_difference_s"], 0);
  }
  EXPECT_NE(both.rtl[0]["packets_in"], both.rtl[1]["packets_in"]) << "each counts its own";
}

TEST(SeveralSwitches, ARowAndAWholeWaferInPlace) {
  const Outcome tlm = run("");
  ASSERT_EQ(tlm.result.exit_code, 0) << tlm.result.error;
  for (const auto& [switches, count] : {std::pair{"router[345]", 3U}, {"*", 9U}}) {
    const Outcome rtl = run(std::string("{switch: \"") + switches + "\", view: rtl, design: mesh_router}");
    ASSERT_EQ(rtl.result.exit_code, 0) << rtl.result.error;
    ASSERT_EQ(rtl.rtl.size(), count);
    for (const json& view : rtl.rtl)
      expect_carried(view, view["switch"].get<std::string>().c_str(), "mesh_router");
    EXPECT_NEAR(rtl.time_s / tlm.time_s, 1, 0.002) << switches;
  }
}

// Packets longer than their links, 8 ns behind 1 ns: heads go on before the values of their tails are there.
TEST(SeveralSwitches, ValuesChangeNoTime) {
  for (const char* rtl : {R"({switch: "*", view: rtl, design: mesh_router})",
                          R"({switch: "router[0248]", view: rtl, design: mesh_router})",
                          R"({switch: router4, view: both, design: mesh_router})"})
    for (const char* link : {"1 ns", "20 ns"}) {
      const std::string set =
          fmt::format("' --set 'wafer.fabric.link_latency={}' --set 'run.functional=", link);
      const Outcome without = run(rtl, set + "false"), with = run(rtl, set + "true");
      ASSERT_EQ(with.result.exit_code, 0) << with.result.error;
      EXPECT_EQ(without.time_s, with.time_s) << rtl << link;
      for (std::size_t k = 0; k < with.rtl.size(); ++k)
        EXPECT_EQ(without.rtl[k]["scoreboard"], with.rtl[k]["scoreboard"]) << rtl << link;
    }
}

TEST(SeveralSwitches, ValuesOfFlowsChangeNoTime) {
  for (const char* view : {"rtl", "both"}) {
    const auto of = [&](const char* functional) {
      return run(fmt::format("{{switch: l1_0_2, view: {}, design: fred3_12}}", view),
                 fmt::format("' --set 'run.functional={}", functional),
                 "fred_d_rtl.yaml --type all_reduce --size 16KiB");
    };
    const Outcome without = of("false"), with = of("true");
    ASSERT_EQ(with.result.exit_code, 0) << with.result.error;
    EXPECT_EQ(without.time_s, with.time_s);
    EXPECT_EQ(without.rtl[0]["scoreboard"], with.rtl[0]["scoreboard"]);
  }
}

TEST(SeveralSwitches, TwoDesignsSideBySideInBothViews) {
  for (const char* view : {"both", "rtl"}) {
    const Outcome mixed = run(fmt::format(
        "{{switch: router4, view: {0}, design: mesh_router}}, {{switch: \"router[35]\", view: {0}, "
        "design: crossbar5{1}}}, {{switch: router0, view: both, design: mesh_router_classes, tolerance: "
        "none}}",
        view, view == std::string("both") ? ", tolerance: none" : ""));
    ASSERT_EQ(mixed.result.exit_code, 0) << mixed.result.error;
    ASSERT_EQ(mixed.rtl.size(), 4U);
    expect_carried(mixed.rtl[0], "router4", "mesh_router");
    expect_carried(mixed.rtl[1], "router3", "crossbar5");
    expect_carried(mixed.rtl[2], "router5", "crossbar5");
    expect_carried(mixed.rtl[3], "router0", "mesh_router_classes");
  }
}

// The crossbar is a cycle faster than the model; the router beside it is not.
TEST(SeveralSwitches, WhoDiffersIsNamedAndNobodyElse) {
  const Outcome wrong =
      run("{switch: router4, view: both, design: mesh_router, tolerance: 0}, "
          "{switch: router3, view: both, design: crossbar5, tolerance: 0}");
  EXPECT_EQ(wrong.result.exit_code, 1);
  EXPECT_NE(wrong.result.error.find("router3"), std::string::npos) << wrong.result.error;
  EXPECT_EQ(wrong.result.error.find("RTL of router4"), std::string::npos) << wrong.result.error;
}

}  // namespace
}  // namespace wafertlm
