// SPDX-License-Identifier: Apache-2.0
// Random traffic and stalls at designs of both kinds, of both protocols.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

class StressOfDesigns : public testing::TestWithParam<const char*> {};

TEST_P(StressOfDesigns, FindsNothing) {
  const test::ToolResult result = test::run_tool(std::string("rtl stress ") + GetParam() +
                                                 " --cases 40 --limit 0s --long-cycles 50000 --json");
  ASSERT_EQ(result.exit_code, 0) << result.error << result.out;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json["passed"].get<bool>());
  EXPECT_EQ(json["cases"], 40);
}

INSTANTIATE_TEST_SUITE_P(All, StressOfDesigns,
                         testing::Values("mesh_router", "mesh_router_classes", "axi_fifo",
                                         "axi_fifo_systemc"));

}  // namespace
}  // namespace wafertlm
