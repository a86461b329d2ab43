// SPDX-License-Identifier: Apache-2.0
// An experiment on several wafers, through the executable.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

/// ResNet-50 on all NPUs of two wafers.
nlohmann::json two_wafers(const std::string& more) {
  const test::TempFolder folder;
  const test::ToolResult result = test::run_tool(
      "run " WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml --out " + folder.path() +
      "/out --set platform=" WAFERTLM_SOURCE_DIR
      "/configs/platforms/wafers_4_mesh_5x4.yaml"
      " --set wafer.outer.wafers=2 --set wafer.outer.topology=direct --set workload.data_parallel=40"
      " --set iterations=1 --set wafer.outer.bandwidth=12.5GB/s" +
      more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::json::parse(test::read_text(folder.path() + "/out/results.json"));
}

bool says(const nlohmann::json& results, const std::string& key) {
  for (const auto& note : results["notes"])
    if (note.get<std::string>().find(key) != std::string::npos &&
        note.get<std::string>().find("nothing here") != std::string::npos)
      return true;
  return false;
}

TEST(SeveralWafersRun, HeadersOfFramesMakeAnIterationLonger) {
  const auto time = [](const std::string& more) {
    return two_wafers(more)["iteration_time_s"].get<double>();
  };
  const double plain = time(""), ethernet = time(" --set 'wafer.outer.ethernet={mtu: 256 B}'");
  EXPECT_GT(ethernet, 1.01 * plain);
}

TEST(SeveralWafersRun, ControllersAreUsedButStreamsAreNot) {
  const nlohmann::json results = two_wafers(" --set wafer.io.chunk=64KiB --set wafer.io.bandwidth=100GB/s");
  EXPECT_FALSE(says(results, "wafer.io.bandwidth"));
  EXPECT_FALSE(says(results, "wafer.io.latency"));
  EXPECT_TRUE(says(results, "wafer.io.chunk"));
}

}  // namespace
}  // namespace wafertlm
