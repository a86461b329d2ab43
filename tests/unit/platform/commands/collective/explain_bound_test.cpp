// SPDX-License-Identifier: Apache-2.0
// `wafertlm collective --explain-bound` as a user calls it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::run_tool;

const std::string kOn = "collective " WAFERTLM_SOURCE_DIR "/configs/platforms/";

TEST(ExplainBound, SaysThePartitionOfAMesh) {
  const auto run = run_tool(kOn + "wafer_mesh_5x4.yaml --type all_reduce --size 256MiB --explain-bound");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(
      run.out.find("partition into 20 parts: 9728 MiB over 62 links of 46.50 TB/s together take 219.4 us"),
      std::string::npos)
      << run.out;
}

TEST(ExplainBound, HasAllPartsAndLinksInJson) {
  const auto run =
      run_tool(kOn + "graph_fat_tree_16.yaml --type all_reduce --size 1MiB,2MiB --explain-bound --json");
  const json explained = json::parse(run.out);
  ASSERT_EQ(explained["rows"].size(), 2U);
  const json& tight = explained["rows"][1]["tight"];
  EXPECT_EQ(tight["kind"], "partition");
  EXPECT_EQ(tight["parts"].size(), 16U);
  EXPECT_EQ(tight["relays"].size(), 6U);
  EXPECT_EQ(tight["links"].size(), 32U);
  // 16 ports of 100 GB/s each way; 30 vectors leave a part, and enter one.
  EXPECT_EQ(tight["links_bytes_per_s"], 3'200'000'000'000);
  EXPECT_EQ(tight["crossing_bytes"], 60 * 2 * 1024 * 1024);
  EXPECT_EQ(tight["time_ps"], 60 * 2097152ULL * 1000 / 3200);
  EXPECT_LE(tight["time_ps"], explained["rows"][1]["bound_ps"]);
}

// 12 x 8 blocks of 1 MiB over the four links between the third column and the fourth.
TEST(ExplainBound, OfAnAllToAllIsTheMiddleOfAMesh) {
  const auto run = run_tool(kOn + "wafer_mesh_5x4.yaml --type all_to_all --size 20MiB --explain-bound");
  EXPECT_NE(run.out.find("cut: 96 MiB over 4 links of 3.000 TB/s together"), std::string::npos) << run.out;
}

// Four groups of five at once.
TEST(ExplainBound, OfSeveralGroupsHasWhatAllMustMove) {
  const auto run = run_tool(kOn +
                            "wafer_mesh_5x4.yaml --type all_reduce --size 64MiB --parallelism "
                            "'MP(2)-DP(5)-PP(2)' --class dp --explain-bound --json");
  const json row = json::parse(run.out)["rows"][0];
  EXPECT_GE(row["joint_bound_ps"], row["bound_ps"]);
  EXPECT_GE(row["joint_bound_ps"], row["joint"]["time_ps"]);
  EXPECT_GE(row["joint"]["time_ps"], row["tight"]["time_ps"]);
}

TEST(ExplainBound, SaysWhyThereIsNone) {
  const auto text = [](const std::string& arguments) {
    return run_tool(kOn + arguments + " --explain-bound").out;
  };
  EXPECT_NE(text("fred_a.yaml --type all_reduce").find("this kind of fabric does not say its links"),
            std::string::npos);
  EXPECT_NE(text("wafer_mesh_5x4.yaml --type gather").find("not searched for gather"), std::string::npos);
  EXPECT_NE(text("wafer_mesh_5x4.yaml --type all_gather --npus 3").find("nothing has to cross"),
            std::string::npos);
}

TEST(ExplainBound, RefusesStreamsAndChoices) {
  const auto stream = run_tool(kOn + "wafer_mesh_5x4.yaml --type weight_load --explain-bound");
  EXPECT_EQ(stream.exit_code, 2);
  EXPECT_NE(stream.error.find("--explain-bound"), std::string::npos);
  EXPECT_EQ(run_tool(kOn + "wafer_mesh_5x4.yaml --type all_reduce --choices --explain-bound").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
