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
test::ToolResult run_on(const std::string& text, const std::string& options = "") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("pipeline_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << text;
  test::ToolResult result = test::run_tool("pipeline " + file.string() + " " + options);
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

/// Three layers of 2, 3 and 4 us on three NPUs of two kinds.
std::string on_wafer(const std::string& more = "", const std::string& map = "") {
  const std::string rows =
      "map:\n  - [none, fast, none, none, none]\n  - [none, slow, slow, none, none]\n"
      "  - [none, none, none, none, none]\n  - [none, none, none, none, none]\n";
  return "pipeline: x\nlayers:\n  - {name: a, operations: 2, output_bytes: 1000}\n"
         "  - {name: b, operations: 3, output_bytes: 1000}\n  - {name: c, operations: 4}\n"
         "kinds:\n  - {name: fast, speed: 2.0e+6}\n  - {name: slow, speed: 1.0e+6}\n" +
         (map.empty() ? rows : map) + "platform: " + std::string(WAFERTLM_SOURCE_DIR) +
         "/configs/platforms/wafer_mesh_5x4.yaml\n" + more;
}

TEST(PipelineCommand, SimulatesOnNpusOfSeveralKinds) {
  const test::ToolResult result = run_on(on_wafer(), "--json --seeds 3");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["simulated_on"], "wafer mesh 5x4");
  EXPECT_EQ(json["places"], 3);
  EXPECT_NEAR(json["bound_s"].get<double>(), 3e-6 + 1000 / 750e9, 1e-9);
  bool has_all = false;
  for (const auto& each : json["algorithms"]) {
    EXPECT_GE(each["gap"], 0);
    EXPECT_GE(each["evaluations"], 1);
    if (each["algorithm"] != "exhaustive") continue;
    has_all = true;
    EXPECT_EQ(each["evaluations"], json["schedules"]);
    EXPECT_NEAR(each["time_s"].get<double>(), 3e-6, 0.2e-6);
    for (const auto& stage : each["stages"]) EXPECT_LE(stage["time_s"], 3.2e-6);
  }
  EXPECT_TRUE(has_all);
}

TEST(PipelineCommand, DrawsTheBestOnTheWafer) {
  const std::filesystem::path picture =
      std::filesystem::temp_directory_path() / ("pipeline_" + std::to_string(::getpid()) + ".svg");
  const test::ToolResult result = run_on(on_wafer(), "--svg " + picture.string());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  // The fast NPU has the last layer, or the first two.
  const bool is_last = result.out.find("3:3-3") != std::string::npos;
  EXPECT_NE(result.out.find(is_last ? "1:1-1" : "1:1-2"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("on the wafer (stage:layers)"), std::string::npos) << result.out;
  const std::string svg = test::read_text(picture.string());
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("marker-end"), std::string::npos);
  EXPECT_NE(svg.find(is_last ? "1:1-1" : "1:1-2"), std::string::npos) << svg;
  std::filesystem::remove(picture);
}

TEST(PipelineCommand, SlowerLinksMakeItSlower) {
  const auto bound = [](const std::string& options) {
    const test::ToolResult result = run_on(on_wafer(), "--json " + options);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return nlohmann::json::parse(result.out)["bound_s"].get<double>();
  };
  // 3 us, and a thousand bytes at 1 GB/s; or the last two layers together on the fast NPU.
  EXPECT_NEAR(bound("--set wafer.fabric.link_bandwidth=1GB/s"), 3.5e-6, 0.01e-6);
}

TEST(PipelineCommand, ModelsAreTables) {
  const std::string configs = std::string(WAFERTLM_SOURCE_DIR) + "/configs/workloads/models/";
  const auto layers = [&](const std::string& model) {
    const test::ToolResult result =
        run_on("pipeline: x\nmodel_file: " + configs + model +
                   "\nplaces: [{name: p, speed: 1.0e+9}, {name: q, speed: 1.0e+9}]\n",
               "--json --evaluations 10");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const auto json = nlohmann::json::parse(result.out);
    return std::pair(json["layers"].get<int>(), json["optimum_s"].get<double>());
  };
  EXPECT_EQ(layers("gpt2_small.yaml").first, 26);  // attention and MLP of 12 blocks, embedding, head
  const auto [count, optimum] = layers("resnet50.yaml");
  EXPECT_EQ(count, 54);
  EXPECT_NEAR(optimum, 4.089184256, 0.1);  // two operations each, halved
}

TEST(PipelineCommand, WhatDoesNotFitThePlatformIsRefused) {
  const auto refused = [](const std::string& text, const std::string& words,
                          const std::string& options = "") {
    const test::ToolResult result = run_on(text, options);
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.error.find(words), std::string::npos) << result.error;
  };
  const std::string start = "pipeline: x\nmodel: resnet50\n", place = "places: [{name: p, speed: 1}]\n";
  const std::string mesh =
      "platform: " + std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml\n";
  refused(on_wafer("", "map:\n  - [fast, slow]\n"), "4 rows of 5 NPUs");
  refused(on_wafer("", "map:\n  - [fast, slo]\n"), "there is no kind 'slo'; did you mean 'slow'");
  refused(on_wafer("", "map:\n  - [fast]\n"), "has no NPU of kind 'slow'");
  refused(on_wafer("", "map:\n  - [none]\n"), "1 to 10 can be searched");
  refused(on_wafer(place), "either 'places' or 'kinds'");
  refused(start, "either 'places' or 'kinds'");
  refused(start + place + "map: [[a]]\n", "'places' or");
  refused(start + "kinds: [{name: a, speed: 1}]\nmap: [[a]]\n", "has no effect without 'platform'");
  refused(start + "kinds: [{name: a, speed: 1}]\n" + place, "need each other");
  refused(start + mesh + "places: [{name: p, speed: 1, link: 5}]\n", "has no effect with 'platform'");
  refused(start + "places: [{name: p, speed: 1, npu: 5}]\n", "has no effect without 'platform'");
  refused(start + mesh + "places: [{name: p, speed: 1, npu: 20}]\n", "NPU 20 is not on");
  refused(start + mesh + "places: [{name: p, speed: 1, npu: 2}, {name: q, speed: 1, npu: 2}]\n",
          "NPU 2 has a place already");
  refused(start + mesh + "places: [{name: p, speed: 1, npu: 2}, {name: q, speed: 1}]\n", "of all places");
  refused(start + place + "model_file: x.yaml\n", "'layers' or 'model' or 'model_file'");
  refused(start + place, "--set has no effect", "--set wafer.width=4");
  refused(start + place, "names no 'platform'", "--svg x.svg");
}

}  // namespace
}  // namespace wafertlm
