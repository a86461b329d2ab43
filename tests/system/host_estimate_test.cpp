// SPDX-License-Identifier: Apache-2.0
// What a run takes of the host is told before, roughly right, and more than there is is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

class HostCost : public testing::Test {
 protected:
  std::string write(const std::string& wafer, int ranks) {
    return folder_.write(
        "e.yaml", "experiment: e\nplatform: {platform: p, wafer: " + wafer +
                      "}\nworkload: {workload: w, layers: resnet50, data_parallel: " + std::to_string(ranks) +
                      ", batch_per_npu: 1, effective_rate: 1 TFLOPS}\n");
  }
  static std::string dimensions(const std::string& transport) {
    return "{fabric: {kind: dimensional, transport: " + transport +
           ", dimensions: [{topology: ring, size: 16, bandwidth: 100 GB/s, latency: 100 ns}, {topology: "
           "ring, "
           "size: 16, bandwidth: 100 GB/s, latency: 100 ns}, {topology: ring, size: 16, bandwidth: 100 GB/s, "
           "latency: 100 ns}]}}";
  }
  /// With a limit of the address space.
  ToolResult limited(int megabytes, const std::string& arguments) {
    return run_tool("--version >/dev/null; ulimit -v " + std::to_string(1000 * megabytes) + "; " +
                    tool_path() + " " + arguments);
  }
  TempFolder folder_;
};

TEST_F(HostCost, MoreMemoryThanThereIsIsRefusedBeforeAnythingIsBuilt) {
  const std::string out = folder_.path() + "/out", run = " --out " + out;
  const std::string packets = write(dimensions("packets"), 2);
  const ToolResult refused = limited(350, "run " + packets + run), checked = limited(350, "check " + packets);
  EXPECT_EQ(refused.exit_code, 2) << refused.error;
  EXPECT_EQ(refused.error.substr(0, 33), "wafertlm: the run takes about 372");
  EXPECT_NE(refused.error.find("are available; less of it: wafer.fabric.transport: messages"),
            std::string::npos)
      << refused.error;
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_NE(limited(350, "run " + packets + run + " --force").exit_code, 2);
}

/// Of `check`: "host      a run takes about 61 s and 2.6 GB of memory".
TEST_F(HostCost, CheckTellsItsOrderOfMagnitude) {
  const ToolResult checked =
      run_tool("check " + write("{width: 16, height: 16, fabric: {link_bandwidth: 750 GB/s}}", 256));
  const std::size_t at = checked.out.find("\nhost      a run takes about ");
  ASSERT_NE(at, std::string::npos) << checked.out;
}

}  // namespace
}  // namespace wafertlm::test
