// SPDX-License-Identifier: Apache-2.0
// What `wafertlm check` says of fabrics, against counts by hand.
#include <gtest/gtest.h>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

std::string checked(const std::string& preset, const std::string& more = "") {
  const test::ToolResult result =
      test::run_tool("check " WAFERTLM_SOURCE_DIR "/configs/platforms/" + preset + ".yaml " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.out;
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << " is not in:\n" << text;
}

TEST(Check, AMesh) {
  const std::string text = checked("wafer_mesh_5x4");
  expect_line(text, "wafer     5 x 4 mesh, 20 NPUs");
  expect_line(text, "links     750.0 GB/s, latency 20.00 ns, router 0 ps, credit 20.00 ns");
  // 750 GB/s for 40 ns there and back, and two packets of 4 KiB.
  expect_line(text, "buffers   38.19 kB per input and virtual channel (auto)");
  expect_line(text, "I/O       18 controllers of 128.0 GB/s each");
  expect_line(text, "class     dp       virtual channels 2 to 2, priority 1");
  expect_line(checked("wafer_mesh_5x4", "--set wafer.fabric.input_buffer=256KiB"),
              "buffers   256 KiB per input and virtual channel (given)");
}

// L1: 4 NPUs, an uplink of 12 TB/s as four ports, and up to 4 of the 18 controllers; L2: 5 such uplinks.
TEST(Check, Fred) {
  const std::string text = checked("fred_c");
  expect_line(text, "wafer     5 L1 switches with 4 NPUs, 1 L2");
  EXPECT_NE(text.find("\nswitch L1 12 ports of 3.000 TB/s, "), std::string::npos) << text;
  EXPECT_NE(text.find("\nswitch L2 20 ports of 3.000 TB/s, "), std::string::npos) << text;
}

// A wafer has 31 pairs of neighbours, 20 NPUs and 18 controllers, each with a link both ways; outside there
// are 18 switches with four cables. Switches are routers, controllers and those outside.
TEST(Check, GraphsAndSeveralWafers) {
  expect_line(checked("wafers_4_mesh_5x4"),
              "fabric    4 wafers of 5 x 4: 80 NPUs, " + std::to_string(4 * (20 + 18) + 18) + " switches, " +
                  std::to_string(4 * 2 * (31 + 20 + 18) + 2 * 18 * 4) + " links (each direction counts)");
  expect_line(checked("graph_fat_tree_16"), "fabric    fat tree of 16: 16 NPUs, 6 switches, " +
                                                std::to_string(2 * (16 + 4 * 2)) +
                                                " links (each direction counts)");
}

}  // namespace
}  // namespace wafertlm
