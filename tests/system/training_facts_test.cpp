// SPDX-License-Identifier: Apache-2.0
// What results say of a generated workload beside the platform.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::TempFolder;
using test::ToolResult;

class TrainingFacts : public testing::Test {
 protected:
  ToolResult run(const std::string& more) const {
    const std::string file = folder_.write(
        "x.yaml",
        "experiment: x\n"
        "platform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s}}, npu: "
        "{peak: 500 TFLOPS, hbm: {capacity: 20 MB}}}\n"
        "workload: {model: {model: one, layers: [{name: a, parameters: 1000000, forward_operations: "
        "1000000000}]}, parallelism: DP(2), samples_per_replica: 3, effective_flops: 250 TFLOPS}\n");
    return test::run_tool("run " + file + " --out " + folder_.path() + "/out " + more);
  }
  json results() const { return json::parse(test::read_text(folder_.path() + "/out/results.json")); }
  TempFolder folder_;
};

TEST_F(TrainingFacts, WhatIsAchievedStandsBesideTheRateThatIsGiven) {
  const ToolResult result = run("");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json facts = results()["training"], iteration = results()["iterations"][0];
  EXPECT_EQ(facts["effective_to_peak"], 0.5);
  // 6 samples, the forward pass and the weights' gradient of 1 GFLOP each, on two NPUs of 500 TFLOPS.
  const double time_s = iteration["time_s"];
  EXPECT_NEAR(iteration["mfu"].get<double>(), 6 * 2e9 / time_s / 1e15, 1e-12);
  EXPECT_NEAR(iteration["samples_per_s"].get<double>(), 6 / time_s, 1e-3);
  EXPECT_TRUE(iteration["tokens_per_s"].is_null());
  EXPECT_LT(iteration["mfu"].get<double>(), 0.5);
  EXPECT_EQ(facts["minibatch"], 6);
  EXPECT_EQ(facts["memory_fits"], true);
  EXPECT_EQ(facts["memory_needed_bytes"], 16'000'000);  // 2 + 2 + 12 bytes per parameter
  EXPECT_NE(result.out.find("250 TFLOPS, 0.5 times the peak"), std::string::npos) << result.out;
}

TEST_F(TrainingFacts, ARateAboveThePeakIsRefused) {
  const ToolResult result = run("--set npu.peak=1TFLOPS");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("x.yaml:3:"), std::string::npos) << result.error;
  EXPECT_NE(
      result.error.find("effective_flops: 250 TFLOPS is 250 times the peak of an NPU (npu.peak: 1 TFLOPS)"),
      std::string::npos)
      << result.error;
}

TEST_F(TrainingFacts, AnHourAndASampleHaveTheirPrice) {
  folder_.write("costs.yaml",
                "costs: made up\nnpu: 8766\nnpu_power: 1000\ndepreciation_years: 1\nelectricity: 0.5\nlinks: "
                "[{links: '*', price: 0}]\n");
  ASSERT_EQ(run("--set costs=" + folder_.path() + "/costs.yaml").exit_code, 0);
  const json cost = results()["cost"], iteration = results()["iterations"][0];
  EXPECT_NEAR(cost["price_per_hour"].get<double>(), 2 * (1 + 0.5), 1e-9);  // 8,766 hours in a year
  EXPECT_NEAR(cost["price_per_sample"].get<double>(), 3.0 / 3600 / iteration["samples_per_s"].get<double>(),
              1e-15);
  EXPECT_TRUE(cost["price_per_token"].is_null());
}

TEST_F(TrainingFacts, TheRankThatNeedsMostCounts) {
  for (const char* const layers : {"{name: a, parameters: 100000, forward_operations: 1000000}, {name: b, "
                                   "parameters: 300000, forward_operations: 1000000}",
                                   "{name: a, parameters: 300000, forward_operations: 1000000}, {name: b, "
                                   "parameters: 100000, forward_operations: 1000000}"}) {
    const ToolResult result =
        run(std::string("--set workload.parallelism='PP(2)' --set 'workload.model={model: two, layers: [") +
            layers + "]}'");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(results()["training"]["memory_needed_bytes"], 16 * 300'000) << layers;
  }
}

TEST_F(TrainingFacts, TooLargeIsRefusedUnlessANoteIsWanted) {
  const std::string small = "--set npu.hbm.capacity=10MB ";
  const ToolResult refused = run(small);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("6.000 MB more than the HBM"), std::string::npos) << refused.error;
  const ToolResult noted = run(small + "--set hbm_overflow=note");
  ASSERT_EQ(noted.exit_code, 0) << noted.error;
  EXPECT_EQ(results()["training"]["memory_fits"], false);
  EXPECT_NE(noted.out.find("It does not fit"), std::string::npos) << noted.out;
}

TEST_F(TrainingFacts, WithoutReductionOfGradientsNothingIsSent) {
  ASSERT_EQ(run("--set workload.dp_collective=none").exit_code, 0);
  const json without = results();
  EXPECT_EQ(without["collectives_total"], 0);
  EXPECT_EQ(without["iterations"][0]["breakdown_s"]["exposed_dp"], 0);
  ASSERT_EQ(run("").exit_code, 0);
  EXPECT_EQ(results()["collectives_total"], 1);
}

}  // namespace
}  // namespace wafertlm
