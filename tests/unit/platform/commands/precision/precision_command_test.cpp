// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;

const std::string kStudies = std::string(WAFERTLM_SOURCE_DIR) + "/configs/studies/";

json report_of(const std::string& file) {
  const auto result = test::run_tool("precision --json " + kStudies + file);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return json::parse(result.out);
}

TEST(PrecisionCommand, WeightsShrinkWithTheirBits) {
  const json report = report_of("precision_inference.yaml");
  ASSERT_EQ(report["models"].size(), 4U);
  const json& vgg = report["models"][1];
  EXPECT_EQ(vgg["model"], "VGG-19");
  const auto weights = [&](std::size_t i) {
    return vgg["settings"][i]["memory_bytes"]["weights"].get<double>();
  };
  EXPECT_EQ(weights(0), 4 * 143'667'240.0);
  EXPECT_EQ(weights(2), 2 * 143'667'240.0);
  EXPECT_EQ(weights(5), 143'667'240.0 + 19 * 4);  // a factor for each of 19 layers
  EXPECT_EQ(weights(7), 143'667'240.0 / 2 + 19 * 4);
  EXPECT_EQ(vgg["settings"][0]["speedup"], 1);
  for (const json& model : report["models"]) {
    EXPECT_GT(model["settings"][2]["speedup"], 1);
    EXPECT_GT(model["settings"][6]["traffic_bytes"]["total"], model["settings"][5]["traffic_bytes"]["total"]);
  }
  EXPECT_EQ(report["models"][3]["parameters"], 124'439'808);
}

TEST(PrecisionCommand, TrainingHasGradientsAndAWire) {
  const json report = report_of("precision_training.yaml");
  const json& mobile = report["models"][0]["settings"];
  EXPECT_EQ(mobile[0]["wire_bytes"], 2 * 19 * std::uint64_t{4 * 3'504'872} / 20);
  EXPECT_EQ(mobile[0]["memory_bytes"]["optimizer"], 2 * 4 * 3'504'872);
  EXPECT_EQ(mobile[2]["memory_bytes"]["optimizer"], 3 * 4 * 3'504'872);
  EXPECT_EQ(mobile[2]["memory_bytes"]["gradients"], 2 * 3'504'872);
}

TEST(PrecisionCommand, PrintsATable) {
  const auto result = test::run_tool("precision " + kStudies + "precision_inference.yaml");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("DenseNet-121: 7.979 M parameters"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("INT8, dynamic"), std::string::npos) << result.out;
}

TEST(PrecisionCommand, BadInputIsRefusedWithItsPlace) {
  const test::TempFolder folder;
  const std::string machine =
      "  peaks: {fp16: 1 TFLOPS}\n  vector_rate: 1 TFLOPS\n  memory_bandwidth: 1 GB/s\n";
  const auto refused = [&](const std::string& of_machine, const std::string& rest, const std::string& part) {
    const std::string text = "precision: x\nmachine:\n" + machine + of_machine + rest;
    const auto result = test::run_tool("precision " + folder.write("x.yaml", text));
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
  };
  const std::string models = "models: [vgg19]\n", fp16 = "weights: fp16, activations: fp16";
  refused("", models + "settings: [{name: a}]\n", "no unit computes in fp32");
  refused("", models + "settings: [{name: a, weights: fp17}]\n", "x.yaml:7:");
  refused("", models + "settings: [{name: a, " + fp16 + ", wire: int8}]\n", "without 'pass: training'");
  refused("", models + "settings: [{name: a, " + fp16 + ", block: 8}]\n", "only int4, int8 and fp8");
  refused("", models + "settings: [{name: a, " + fp16 + ", scales: dynamic}]\n", "x.yaml:7:");
  refused("  ranks: 2\n", models + "settings: [{name: a, " + fp16 + "}]\n", "go together");
  refused("  ranks: 2\n  link_bandwidth: 1 GB/s\n", models + "settings: [{name: a, " + fp16 + "}]\n",
          "x.yaml:6:");
  refused("", "models: [vgg20]\nsettings: [{name: a, " + fp16 + "}]\n", "vgg19");
  refused("", "models: [vgg19, vgg19]\nsettings: [{name: a, " + fp16 + "}]\n", "named twice");
  refused("", models + "settings: []\n", "x.yaml:7:");
  EXPECT_EQ(test::run_tool("precision " + kStudies + "tune_moe.yaml").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
