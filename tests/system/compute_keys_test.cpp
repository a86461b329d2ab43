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

TEST_F(ComputeKeys, JitterDependsOnTheSeedOnly) {
  const std::string jitter = "--set npu.compute.jitter=normal --set npu.compute.jitter_percent=10 ";
  const auto one = run(jitter);
  EXPECT_EQ(one["iterations"], run(jitter + "--set run.checkers=true")["iterations"]);
  EXPECT_NE(time(one), time(run("")));
  EXPECT_NE(time(one), time(run(jitter + "--set run.seed=2")));
}

TEST_F(ComputeKeys, TheSequencersKeysAreThere) {
  EXPECT_EQ(time(run("--set sequencer.policy=lifo --set sequencer.look_ahead=1")), time(run("")));
  for (const std::string bad :
       {"npu.compute.jitter=normal", "npu.compute.precision=fp64", "sequencer.policy=best",
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
