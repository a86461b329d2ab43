// SPDX-License-Identifier: Apache-2.0
// A run lasts a picosecond at least.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

TEST(ShortestRun, LastsAPicosecond) {
  const TempFolder folder;
  chakra::VectorSource source("rank", {compute(1, 1)});
  chakra::write_trace(source, folder.path() + "/job.0.et");
  ToolResult result;
  const auto time = [&](const std::string& more) {
    const auto results = run_traces(folder, "wafer_mesh_5x4", "chakra: job", more, result);
    return results.is_null() ? results : results["iterations"][0]["time_ps"];
  };
  EXPECT_EQ(time(""), 1) << result.error;
  // A jitter of a whole picosecond makes 0 or some of it, by seed.
  const std::string jitter = "--set npu.compute.jitter=normal npu.compute.jitter_percent=100 run.seed=";
  int none = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    const auto jittered = time(jitter + std::to_string(seed));
    if (!jittered.is_null()) {
      EXPECT_GE(jittered, 1);
      continue;
    }
    ++none;
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.error.find("the workload took no time at all"), std::string::npos) << result.error;
  }
  EXPECT_TRUE(none > 0 && none < 8) << none;
}

}  // namespace
}  // namespace wafertlm::test
