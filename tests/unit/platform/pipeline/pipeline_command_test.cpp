// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

/// The tool on a file with this text.
test::ToolResult run_on(const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("pipeline_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << text;
  test::ToolResult result = test::run_tool("pipeline " + file.string());
  std::filesystem::remove(file);
  return result;
}

TEST(PipelineCommand, PrintsTheGapAndTheEvaluations) {
  const std::string file = std::string(WAFERTLM_SOURCE_DIR) + "/configs/studies/pipeline_small.yaml";
  const test::ToolResult result = test::run_tool("pipeline --json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["optimum_s"], 6.75);
  EXPECT_EQ(json["schedules"], 171);
  for (const auto& each : json["algorithms"])
    if (each["algorithm"] == "Shisha") {
      EXPECT_EQ(each["time_s"], 7.5);
      EXPECT_EQ(each["evaluations"], 12);
      EXPECT_NEAR(each["gap"], 7.5 / 6.75 - 1, 1e-12);
    }
  const test::ToolResult text = test::run_tool("pipeline " + file);
  EXPECT_NE(text.out.find("medium: 1-2 | small: 3-3 | large: 4-8"), std::string::npos) << text.out;
}

TEST(PipelineCommand, BadInputIsRefusedWithItsPlace) {
  const test::ToolResult slow =
      run_on("pipeline: x\nlayers: [{name: a, operations: 1}]\nplaces:\n  - {name: p, speed: 0}\n");
  EXPECT_EQ(slow.exit_code, 2);
  EXPECT_NE(slow.error.find(":4:"), std::string::npos) << slow.error;
  const test::ToolResult both = run_on(
      "pipeline: x\nmodel: resnet50\nlayers: [{name: a, operations: 1}]\nplaces: [{name: p, speed: 1}]\n");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.error.find("give either 'layers' or 'model'"), std::string::npos) << both.error;
  EXPECT_EQ(run_on("pipeline: x\nplaces: [{name: p, speed: 1}]\n").exit_code, 2);
  EXPECT_EQ(run_on("comet: x\n").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
