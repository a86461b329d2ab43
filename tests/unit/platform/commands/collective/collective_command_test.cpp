// SPDX-License-Identifier: Apache-2.0
// The command as a user meets it: exit codes, messages, fields.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

const std::string kWafer = "collective " WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml ";
const std::string kParallel = kWafer + "--type all_reduce --parallelism 'MP(2)-DP(5)-PP(2)' ";

void expect_bad(const std::string& arguments, const std::string& message) {
  const ToolResult result = run_tool(arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments;
  EXPECT_NE(result.error.find(message), std::string::npos) << arguments << "\n" << result.error;
  EXPECT_EQ(result.out, "");
}

const std::string kFredB = "collective " WAFERTLM_SOURCE_DIR "/configs/platforms/fred_b.yaml ";
const std::string kFredD = "collective " WAFERTLM_SOURCE_DIR "/configs/platforms/fred_d.yaml ";

nlohmann::json first_row(const std::string& arguments) {
  const ToolResult result = run_tool(arguments + " --json");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, nlohmann::ordered_json::parse(result.out).dump(2) + "\n");
  return nlohmann::json::parse(result.out)["rows"][0];
}

// Late by more than the rest takes: what is left after it has come is the whole all-reduce.
TEST(CollectiveCommand, OneNpuIsLate) {
  for (const std::string& wafer : {kWafer, kFredD}) {
    const nlohmann::json usual = first_row(wafer + "--type all_reduce --size 64KiB");
    const nlohmann::json late =
        first_row(wafer + "--type all_reduce --size 64KiB --late 7:10us --set run.functional=true");
    EXPECT_TRUE(late["values_proven"].get<bool>());
    EXPECT_DOUBLE_EQ(late["skew_s"].get<double>(), 10e-6);
    EXPECT_GE(late["time_ps"].get<std::uint64_t>(), 10'000'000U);
    EXPECT_LE(late["time_ps"].get<std::uint64_t>(), 10'000'000 + usual["time_ps"].get<std::uint64_t>());
    EXPECT_NEAR(late["time_after_last_entry_s"].get<double>() + 10e-6, late["time_s"].get<double>(), 1e-12);
  }
  // In the network nothing moves before all are there.
  EXPECT_EQ(
      first_row(kFredD + "--type all_reduce --size 64KiB --late 7:10us")["time_ps"].get<std::uint64_t>(),
      10'000'000 + first_row(kFredD + "--type all_reduce --size 64KiB")["time_ps"].get<std::uint64_t>());
  expect_bad(kWafer + "--type all_reduce --late 7", "'7' names no NPU and time");
  expect_bad(kWafer + "--type all_reduce --late 20:1us", "is not on the wafer, which has NPUs 0 to 19");
  expect_bad(kWafer + "--type all_reduce --late 7:1us,7:2us", "names an NPU twice");
  expect_bad(kWafer + "--type all_reduce --late 7:1", "has no time");
  expect_bad(kWafer + "--type all_reduce --npus 0-3 --late 7:1us", "NPU 7 is in no group");
}

// Four DP groups share each uplink of FRED-B, where a prediction of one alone would be four times too fast.
TEST(CollectiveCommand, PredictsWhatGroupsShare) {
  const std::string dp = "--type all_reduce --size 1MiB --parallelism 'MP(2)-DP(5)-PP(2)' --class dp";
  for (const std::string& wafer : {kWafer, kFredB, kFredD}) {
    const nlohmann::json row = first_row(wafer + dp);
    EXPECT_NEAR(row["time_over_predicted"].get<double>(), 1, 0.1);
    EXPECT_GE(row["time_over_bound"].get<double>(), 1);
  }
  // The bound is that of all groups: the uplinks are full.
  EXPECT_LT(first_row(kFredB + dp)["time_over_bound"].get<double>(), 1.05);
}

// Before anything is simulated, also of the largest of several sizes.
TEST(CollectiveCommand, RefusesWhatTheWatchdogWouldEnd) {
  for (const std::string size : {"1PB", "4KiB,1PB"}) {
    const ToolResult refused = run_tool(kWafer + "--set run.watchdog=10s --type all_reduce --size " + size);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(
        refused.error.find("s, and the watchdog ends runs at 10.00 s; choose a smaller --size, or raise "
                           "run.watchdog"),
        std::string::npos)
        << refused.error;
  }
}

// What --choices prints is what the table has, with the cost of the launch.
TEST(CollectiveCommand, ChoicesPredictAsTheTableDoes) {
  const std::string with = kWafer + "--type all_reduce --size 64KiB --set npu.endpoint.launch_cost=3us";
  const auto predicted = first_row(with)["predicted_ps"].get<std::uint64_t>();
  EXPECT_EQ(first_row(with + " --choices")["predicted_ps"].get<std::uint64_t>(), predicted);
  EXPECT_GT(predicted, 3'000'000U);
}

// The pairs of DP(2) make a ring of five L1 switches, an odd cycle.
TEST(CollectiveCommand, NamesWhatWasDecomposed) {
  const std::string dp = kFredD +
                         "--type all_reduce --size 64KiB --parallelism 'MP(10)-DP(2)' --class dp "
                         "--set wafer.fabric.middle_switches=2 --set wafer.fabric.flow_conflict=";
  const ToolResult text = run_tool(dp + "decompose");
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_NE(text.out.find("in_network; 2 of 10 groups "), std::string::npos) << text.out;
  const nlohmann::json row = first_row(dp + "decompose");
  EXPECT_EQ(row["decomposed_groups"], 2);
  EXPECT_EQ(row["groups"][0]["algorithm"], "in_network");
  EXPECT_NE(row["groups"][8]["algorithm"].get<std::string>().find("(decomposed)"), std::string::npos);
  EXPECT_EQ(first_row(dp + "block")["decomposed_groups"], 0);
  EXPECT_EQ(first_row(dp + "block")["flow_conflicts"], 2);
  const ToolResult refused = run_tool(dp + "refuse");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("in-network flow 0 of collective 9 (class dp, 2 to 2 NPUs) cannot be routed "
                               "through l2_0 beside in-network flow 0 of collective 1"),
            std::string::npos)
      << refused.error;
}

TEST(CollectiveCommand, BadInputEndsWithCode2AndSaysWhatToChange) {
  expect_bad(kParallel, "--parallelism needs --class mp, dp, pp or all");
  expect_bad(kParallel + "--class tp",
             "no groups of class 'tp' in a parallelism; there are mp, dp, pp and all");
  expect_bad(kParallel + "--class mp,mp", "mp is listed twice");
  expect_bad(kParallel + "--class mp --npus 0-3", "the groups come from --parallelism; leave it out");
  expect_bad(kParallel + "--class mp --placement best",
             "there are paper, contiguous, grid, ring, entwined, row_major");
  expect_bad(kParallel + "--class mp --placement file:/no/such/file", "cannot be read");
  expect_bad(kParallel + "--class mp --seed 3", "only --placement random has a seed");
  expect_bad(kParallel + "--class mp --placement random --seed x", "expected a whole number");
  expect_bad(kWafer + "--type all_reduce --placement random", "places the workers of a --parallelism");
  expect_bad(kWafer + "--type all_reduce --parallelism 'MP(3)-DP(7)' --class mp",
             "needs 3 x 7 x 1 NPUs and the wafer has 20");
  expect_bad(kWafer + "--type all_reduce --parallelism 'DP(5)' --class mp", "have one member each");
  expect_bad(kWafer + "--type all_reduce --class xp", "no traffic class 'xp'");
  expect_bad(kWafer + "--type weight_load --npus 0-3", "leave it out");
  expect_bad(kWafer + "--type weight_load --class none", "no traffic class 'none'");
  expect_bad(kWafer + "--type weight_load --set wafer.io.controllers=none",
             "the platform has no I/O controllers");
  expect_bad(kWafer + "--type all_reduce --npus 5-8 --set 'wafer.fabric.failed_routers=[7]'",
             "--npus 5-8: NPU 7 or router 7 does not work");
  expect_bad(kWafer + "--type allreduce", "did you mean 'all_reduce'?");
  expect_bad(kWafer + "--type all_reduce --algorithm hierachical", "did you mean 'hierarchical_2d'?");
  expect_bad(kWafer + "--type all_reduce --class wieghts", "did you mean 'weights'?");
  expect_bad(kWafer + "--type all_reduce --root 1", "all_reduce has no root; leave it out");
  expect_bad(kWafer + "--type weight_load --root 1", "weight_load has no root; leave it out");
  expect_bad(kWafer + "--type all_reduce --npus ''", "--npus: the value is empty");
  expect_bad(kWafer + "--type all_reduce --size ''", "--size: the value is empty");
  expect_bad(kWafer + "--type all_reduce --npus 4-0", "the first NPU is behind the last; write 0-4");
  expect_bad(kParallel + "--class mp --placement file:", "the name of the file is missing");
  expect_bad(kWafer + "--type weight_load --size 90B --set run.functional=true", "--size 90B: functional");
  expect_bad(kWafer + "--type weight_load --set wafer.io.controllers=none --set wafer.io.bandwidth=1GB/s",
             "has no effect without I/O controllers");
  expect_bad("collective " WAFERTLM_SOURCE_DIR "/configs --type barrier", "this is a folder");
  expect_bad("collective " WAFERTLM_SOURCE_DIR "/configs/platforms/wavelet_row.yaml --type barrier",
             "no traffic class 'dp'; the platform has: data; it is taken when no --class is given");
  expect_bad(kWafer +
                 "--type all_reduce --npus 0,1 --size 64KiB --set run.functional=true --set "
                 "'run.fault={kind: flip_bit, from: 0, to: 1, bit: 40000}'",
             "its last one is 32767");
  const TempFolder folder;
  expect_bad(kParallel + "--class mp --placement file:" + folder.write("place", "3\n3\n"),
             "place:2: NPU 3 is taken already, in line 1");
}

TEST(CollectiveCommand, NamesTheLossOfASmallBuffer) {
  const std::string run = kWafer + "--type all_reduce --npus 0,1 --size 16MiB --algorithm ring ";
  const ToolResult small = run_tool(run + "--set 'wafer.fabric.input_buffer=24 KiB'");
  ASSERT_EQ(small.exit_code, 0) << small.error;
  // 24 KiB per 40 ns and a packet of 5.46 ns.
  EXPECT_NE(small.out.find("24 KiB sustain 540.6 GB/s of a link's 750.0 GB/s"), std::string::npos)
      << small.out;
  EXPECT_NE(small.out.find("no credit: router"), std::string::npos) << small.out;
  EXPECT_EQ(run_tool(run).out.find("note:"), std::string::npos);
  EXPECT_EQ(run_tool(run + "--set 'wafer.fabric.input_buffer=64 KiB'").out.find("note:"), std::string::npos);
}

// No closed form may look at every pair of 65536 NPUs.
TEST(CollectiveCommand, ShowsTheChoicesOfALargeWaferQuickly) {
  const ToolResult result =
      run_tool(kWafer + "--type all_gather --choices --set wafer.width=96 --set wafer.height=96");
  EXPECT_EQ(result.exit_code, 0) << result.error;
}

TEST(CollectiveCommand, GivesTheTimeOfEveryGroup) {
  const ToolResult result = run_tool(kParallel + "--class mp,dp --size 40kB --json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto rows = nlohmann::json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["class"], "mp");
  EXPECT_EQ(rows[0]["groups"].size(), 10U);
  EXPECT_EQ(rows[0]["groups"][1]["npus"], (std::vector<int>{10, 15}));
  EXPECT_EQ(rows[1]["class"], "dp");
  EXPECT_EQ(rows[1]["group_size"], 5);
  for (const auto& row : rows) {
    std::uint64_t slowest = 0;
    for (const auto& group : row["groups"])
      slowest = std::max(slowest, group["time_ps"].get<std::uint64_t>());
    EXPECT_EQ(row["time_ps"], slowest);
    EXPECT_LE(row["fastest_group_ps"], slowest);
    EXPECT_GT(row["bound_ps"], 0);
  }
}

TEST(CollectiveCommand, GivesTheEndOfEveryChannel) {
  const ToolResult result = run_tool(kWafer + "--type gradient_store --size 180kB --json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto row = nlohmann::json::parse(result.out)["rows"][0];
  ASSERT_EQ(row["channels"].size(), 18U);
  EXPECT_EQ(row["channels"][5]["npu"], 4);
  EXPECT_EQ(row["channels"][5]["side"], "east");
  EXPECT_EQ(row["busiest_link_shares"], 9);
  EXPECT_EQ(row["busiest_link_payload_bytes"], 90'000);
  EXPECT_EQ(row["line_rate_bytes_per_s"], 2.304e12);
}

}  // namespace
}  // namespace wafertlm::test
