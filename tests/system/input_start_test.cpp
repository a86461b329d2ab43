// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

std::uint64_t time_of(const std::string& settings) {
  const test::ToolResult result =
      test::run_tool("collective " WAFERTLM_SOURCE_DIR
                     "/configs/platforms/wafer_mesh_5x4.yaml --type all_to_all --size 4MiB --json " +
                     settings);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::json::parse(result.out)["rows"][0]["time_ps"];
}

// Packets of 4 KiB take 5.5 ns on a link, so a start every 9 ns is what limits; checkers only look.
TEST(InputStartInterval, SlowsDownAlikeWithAndWithoutCheckers) {
  const std::string interval = "--set wafer.fabric.input_start_interval=9ns";
  const std::uint64_t slow = time_of(interval);
  EXPECT_EQ(time_of(interval + " --set run.checkers=true"), slow);
  EXPECT_GT(slow, time_of(""));
}

}  // namespace
}  // namespace wafertlm
