// SPDX-License-Identifier: Apache-2.0
// run.faults in training iterations: an NPU that gets slow, by hand; what a run that stops has lost; results.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

class FaultyRuns : public ::testing::Test {
 protected:
  /// Four computations of 100 us each, then an all-reduce; on two ranks.
  void SetUp() override {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      std::vector<chakra::Node> nodes;
      for (std::uint64_t k = 0; k < 4; ++k) {
        const Parents before = k == 0 ? Parents{} : Parents{k - 1};
        nodes.push_back(compute(k, 100'000'000, before));
      }
      nodes.push_back(all_reduce(4, 0, {3}, 4096));
      chakra::VectorSource source("rank", nodes);
      chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
  }
  nlohmann::json run(const std::string& more, ToolResult& result) {
    return run_traces(folder_, "wafer_mesh_5x4", "chakra: " + folder_.path() + "/job",
                      "--set iterations=2 " + more, result);
  }
  TempFolder folder_;
};

TEST_F(FaultyRuns, AnNpuAtHalfItsSpeedTakesTwiceAsLongForWhatStartsThen) {
  ToolResult result;
  const auto whole = run("", result);
  // Its second computation has begun at 100 us; the third begins at 200 us, and is the only one that takes
  // longer.
  const auto slow = run("--set 'run.faults=[{at: 150 us, for: 100 us, npu: 1, speed_percent: 50}]'", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_DOUBLE_EQ(slow["iterations"][0]["breakdown_max_s"]["compute"].get<double>(), 500e-6);
  EXPECT_NEAR(slow["iterations"][0]["time_s"].get<double>(),
              whole["iterations"][0]["time_s"].get<double>() + 100e-6, 1e-12);
  EXPECT_DOUBLE_EQ(slow["iterations"][1]["breakdown_max_s"]["compute"].get<double>(), 400e-6);
  EXPECT_EQ(slow["faults"][0]["computations"], 1);
  EXPECT_DOUBLE_EQ(slow["faults"][0]["longer_s"].get<double>(), 100e-6);
  EXPECT_FALSE(whole.contains("faults"));
}

TEST_F(FaultyRuns, ResultsAreTheSameWithEachAcceleration) {
  const std::string faults =
      "--set 'run.faults=[{at: 401 us, for: 100 ns, link: 0-1, rate_percent: 0}, {at: 1 s, link: 5-6, "
      "rate_percent: 1}]' --set run.acceleration=";
  ToolResult result;
  auto exact = run(faults + "exact", result), off = run(faults + "off", result);
  EXPECT_NE(result.out.find(
                "Fault: link 5-6 at 1 % from 1.000 s on, to the end: changed nothing, the run was over"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(exact["host"]["accelerated"]["off_because"], "run.faults change parts while they work");
  exact.erase("host");
  off.erase("host");
  EXPECT_EQ(exact, off);
}

TEST_F(FaultyRuns, WhoStopsSaysWhatIsLost) {
  ToolResult result;
  run("--set 'run.faults=[{at: 500 us, npu: 1, dies: true}]' --set run.on_fault=stop", result);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(
      result.error.find("NPU 1 died at 500.0 us (run.faults[0]), and run.on_fault is stop; 1 of 2 iterations "
                        "were done"),
      std::string::npos)
      << result.error;
}

}  // namespace
}  // namespace wafertlm::test
