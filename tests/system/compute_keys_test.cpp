// SPDX-License-Identifier: Apache-2.0
// The keys of computation and of the sequencer, through the executable.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

class ComputeKeys : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string rank : {"0", "1"}) {
      chakra::Node work = compute(1, 1'000'000);
      work.num_ops = 1'000'000'000;  // 1 µs at 1000 TFLOPS
      chakra::VectorSource source("rank", {work, all_reduce(2, 0, {1}), compute(3, 500'000, {2})});
      chakra::write_trace(source, folder_.path() + "/job." + rank + ".et");
    }
  }
  nlohmann::json run(const std::string& more) {
    ToolResult result;
    const auto results = run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job",
                                    "--set collectives.algorithm=ring " + more, result);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return results;
  }
  static std::uint64_t part(const nlohmann::json& results, const std::string& name) {
    return results["iterations"][0]["breakdown_ps"].value(name, std::uint64_t{0});
  }
  static std::uint64_t time(const nlohmann::json& results) {
    return results["iterations"][0]["time_ps"].get<std::uint64_t>();
  }

  TempFolder folder_;
};

TEST_F(ComputeKeys, AStragglerMakesTheOthersIdle) {
  const auto even = run("");
  const auto slow = run("--set 'npu.compute.stragglers=[{npu: 1, slowdown_percent: 300}]'");
  // Before the all-reduce 1 µs becomes 3 µs, and after it 0.5 µs becomes 1.5 µs.
  EXPECT_EQ(time(slow), time(even) + 2'000'000 + 1'000'000);
  EXPECT_EQ(part(slow, "compute"), 4'500'000U);  // of rank 1, which ends last
  EXPECT_EQ(slow["iterations"][0]["rank"], 1);
  // Rank 0 waits 2 µs for rank 1 to enter and 1 µs for it to end; it leaves the all-reduce 20 ns before rank
  // 1, which gets the last message of the two a link's latency later.
  EXPECT_DOUBLE_EQ(slow["iterations"][0]["breakdown_max_s"]["idle"].get<double>(), 3.02e-6);
}

// Simulated time holds 9.22e18 ps. Normal jitter can add six spreads, uniform jitter one.
TEST(ComputeLimits, HoldWhatStragglersJitterAndIterationsCanMakeOfIt) {
  const TempFolder folder;
  chakra::VectorSource source("rank", {compute(1, 1'400'000'000'000'000'000)});
  chakra::write_trace(source, folder.path() + "/job.0.et");
  const auto fits = [&](const std::string& keys) {
    ToolResult result;
    run_traces(folder, "wafer_mesh_5x4", "chakra: " + folder.path() + "/job",
               "--set run.watchdog=9000000s " + keys, result);
    if (result.exit_code == 0) return true;
    EXPECT_EQ(result.exit_code, 2) << keys;
    EXPECT_NE(result.error.find("106 days"), std::string::npos) << result.error;
    return false;
  };
  const std::string normal = "--set npu.compute.jitter=normal --set npu.compute.jitter_percent=",
                    uniform = "--set npu.compute.jitter=uniform --set npu.compute.jitter_percent=100 ";
  const auto straggler = [](int percent) {
    return "--set 'npu.compute.stragglers=[{npu: 0, slowdown_percent: " + std::to_string(percent) + "}]' ";
  };
  EXPECT_TRUE(fits(normal + "90"));
  EXPECT_FALSE(fits(normal + "100"));
  EXPECT_TRUE(fits(uniform + straggler(300)));
  EXPECT_FALSE(fits(uniform + straggler(340)));
  EXPECT_TRUE(fits("--set iterations=6"));
  EXPECT_FALSE(fits("--set iterations=7"));
}

TEST(AcceptedTrace, MissingParentsCountAsDone) {
  const TempFolder folder;
  chakra::VectorSource source("rank", {compute(1, 1'000'000), compute(2, 500'000, {1, 9})});
  chakra::write_trace(source, folder.path() + "/job.0.et");
  const std::string traces = "chakra: " + folder.path() + "/job";
  ToolResult result;
  run_traces(folder, "wafer_mesh_5x4", traces, "", result);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("needs 9"), std::string::npos) << result.error;
  const auto accepted = run_traces(folder, "wafer_mesh_5x4", traces + ", dependencies: existing", "", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(accepted["iterations"][0]["time_ps"], 1'500'000);
}

TEST_F(ComputeKeys, RooflineReplacesTheTracesDurations) {
  const auto roofline =
      run("--set npu.compute.durations=roofline --set npu.compute.fp16.efficiency_percent=25");
  EXPECT_EQ(part(roofline, "compute"), 4'000'000U + 500'000U);
  const auto fp8 =
      run("--set npu.compute.durations=roofline --set npu.compute.precision=fp8 --set "
          "npu.compute.fp8.peak=2000TFLOPS");
  EXPECT_EQ(part(fp8, "compute"), 500'000U + 500'000U);
}

// 512^3 on 128 x 128 from a platform file and an .et file; cycles by hand, see systolic_array_test.cpp.
TEST(SystolicKeys, CyclesOfATrace) {
  const TempFolder folder;
  chakra::Node product = compute(1, 0), other = compute(2, 0, {1});
  product.num_ops = 2 * 512 * 512 * 512;
  product.products = {{512, 512, 512, 1}};
  other.num_ops = 1'000'000'000;  // 1 us at 1000 TFLOPS
  chakra::VectorSource source("rank", {product, other});
  chakra::write_trace(source, folder.path() + "/job.0.et");
  const struct {
    const char* dataflow;
    std::uint64_t cycles;
  } rows[] = {{"output_stationary", 12'256}, {"weight_stationary", 14'304}, {"input_stationary", 14'304}};
  for (const auto& row : rows) {
    folder.write("array.yaml", std::string("extends: " WAFERTLM_SOURCE_DIR
                                           "/configs/platforms/wafer_mesh_5x4.yaml\nplatform: array\nnpu: "
                                           "{compute: {model: systolic, systolic: {rows: 128, columns: 128, "
                                           "clock: 1 GHz, dataflow: ") +
                                   row.dataflow + "}}}\n");
    const std::string experiment = folder.write(
        "experiment.yaml",
        "experiment: cycles\nplatform: array.yaml\nworkload: {workload: product, chakra: job}\n");
    const ToolResult result = run_tool("run " + experiment + " --out " + folder.path() + "/out");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const auto results = nlohmann::json::parse(read_text(folder.path() + "/out/results.json"));
    EXPECT_EQ(results["iterations"][0]["time_ps"], row.cycles * 1000 + 1'000'000);
    EXPECT_EQ(results["compute"]["model"], "systolic");
    EXPECT_EQ(results["compute"]["told_by"]["systolic"]["computations"], 1);
    EXPECT_EQ(results["compute"]["told_by"]["roofline"]["computations"], 1);
    EXPECT_NE(result.out.find("1 by systolic"), std::string::npos) << result.out;
  }
}

TEST_F(ComputeKeys, AnArrayThatNothingRunsOnIsRefused) {
  ToolResult result;
  run_traces(
      folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job",
      "--set npu.compute.model=systolic --set 'npu.compute.systolic={rows: 8, columns: 8, clock: 1 GHz}'",
      result);
  EXPECT_EQ(result.exit_code, 2);
  for (const char* part : {"wafertlm_products", "durations: model", "model: roofline"})
    EXPECT_NE(result.error.find(part), std::string::npos) << result.error;
}

TEST_F(ComputeKeys, JitterDependsOnTheSeedOnly) {
  const std::string jitter = "--set npu.compute.jitter=normal --set npu.compute.jitter_percent=10 ";
  const auto one = run(jitter);
  EXPECT_EQ(one["iterations"], run(jitter + "--set run.checkers=true")["iterations"]);
  EXPECT_NE(time(one), time(run("")));
  EXPECT_NE(time(one), time(run(jitter + "--set run.seed=2")));
}

TEST_F(ComputeKeys, TheSequencersKeysAreThere) {
  EXPECT_EQ(time(run("--set sequencer.order=lifo --set sequencer.look_ahead=1")), time(run("")));
  for (const std::string bad :
       {"npu.compute.jitter=normal", "npu.compute.precision=fp64", "sequencer.order=best",
        "npu.compute.jitter_percent=3", "sequencer.look_ahead=0", "npu.compute.fp8.peak=1TFLOPS",
        "'npu.compute.stragglers=[{npu: 2, slowdown_percent: 150}]'",
        "'npu.compute.stragglers=[{npu: 20, slowdown_percent: 150}]'"}) {
    ToolResult result;
    run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job", "--set " + bad, result);
    EXPECT_EQ(result.exit_code, 2) << bad;
  }
}

}  // namespace
}  // namespace wafertlm::test
