// SPDX-License-Identifier: Apache-2.0
// Training on a wafer with a failed link: all goes around it; what nothing joins is refused with the way out.
#include <gtest/gtest.h>

#include "tests/support/trace_jobs.h"
#include "tests/system/trace_runs.h"

namespace wafertlm::test {
namespace {

class BrokenWafer : public ::testing::Test {
 protected:
  ToolResult run(const std::string& settings) {
    ToolResult result;
    results_ = run_traces(folder_, "wafer_mesh_5x4", "chakra: job", settings, result);
    return result;
  }
  TempFolder folder_;
  nlohmann::json results_;
};

TEST_F(BrokenWafer, ReducesAroundAFailedLink) {
  write_collective_job(folder_.path() + "/job", chakra::CollectiveType::AllReduce, 20, 1'000'000);
  const std::string broken = "--set 'wafer.defects={links: [6-7]}'";
  for (const char* algorithm : {"auto", "fastest"}) {
    const ToolResult result = run(broken + " --set collectives.algorithm=" + algorithm);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const auto& collective = results_["collectives"].at(0);
    EXPECT_GE(collective["time_s"], collective["bound_s"]);
    EXPECT_NE(collective["algorithm"], "hierarchical_2d");  // its rows pass the link
    for (const auto& link : results_["links"]) {
      const std::string name = link["name"];
      EXPECT_TRUE(link["packets"] == 0 || (name != "router6->router7" && name != "router7->router6")) << name;
    }
  }
  const ToolResult result = run(broken + " --set collectives.algorithm=hierarchical_2d");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("collectives.algorithm"), std::string::npos) << result.error;
}

/// Rank 4 sends to rank 5 along the first row and down the first column, or one column beside it. Without the
/// link of NPU 0 to NPU 1 too, nothing joins NPU 0 to the others.
TEST_F(BrokenWafer, SendsWhereMessagesHaveAWay) {
  write_ring_job(folder_.path() + "/job", 20, 100'000);
  for (const char* defects : {"{links: [2-7]}", "{links: [0-5]}", "{links: [0->5]}"}) {
    const ToolResult good = run(std::string("--set 'wafer.defects=") + defects + "'");
    EXPECT_EQ(good.exit_code, 0) << good.error;
  }
  const ToolResult bad = run("--set 'wafer.defects={links: [0-5, 0-1]}'");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.error.find("wafer.defects"), std::string::npos) << bad.error;
}

}  // namespace
}  // namespace wafertlm::test
