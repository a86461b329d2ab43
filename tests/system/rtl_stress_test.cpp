// SPDX-License-Identifier: Apache-2.0
// `wafertlm rtl stress` of the designs in the program. Needs Verilator.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/rtl/design.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

class RtlStressCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!rtl_is_built()) GTEST_SKIP() << "no Verilator in this program";
  }
  test::TempFolder folder_;

  test::ToolResult stress(const std::string& options) const {
    return test::run_tool("rtl stress " + options);
  }
};

TEST_F(RtlStressCommand, TellsWhatItDidAndReached) {
  const test::ToolResult text = stress("fred3_12 --cases 2 --limit 0s --packets 100 --long-cycles 0");
  ASSERT_EQ(text.exit_code, 0) << text.error;
  for (const char* part :
       {"stress of fred3_12: nothing found\n", "2 and those of alone, rate, turns; one of 0 cycles\n",
        "bins reached", "not judged                times under other loads", "sum and copy  stalled"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  const auto told =
      nlohmann::json::parse(stress("fred3_12 --cases 2 --limit 0s --packets 100 --long-cycles 0 --json").out);
  EXPECT_TRUE(told["passed"]);
  EXPECT_EQ(told["cases"], 2);
  EXPECT_GE(told["packets"], 144 + 2 * 98);  // a case of two rounds may have one packet less in each
  EXPECT_FALSE(told.contains("failure"));
  const auto again =
      nlohmann::json::parse(stress("fred3_12 --cases 2 --limit 0s --packets 100 --long-cycles 0 --json").out);
  EXPECT_EQ(told, again);
}

// Credits of this switch come LATENCY cycles before its flits leave: without that slack it is a fault.
TEST_F(RtlStressCommand, AFaultIsShrunkAndDrawn) {
  const test::ToolResult found = stress(
      "fred3_12 --early-credits 0 --cases 5 --long-cycles 0 --json --waves " + folder_.path() + "/bad");
  ASSERT_EQ(found.exit_code, 1) << found.out;
  const auto failure = nlohmann::json::parse(found.out)["failure"];
  EXPECT_EQ(failure["packets"], 1);
  EXPECT_TRUE(failure["repeats"]);
  EXPECT_NE(failure["what"].get<std::string>().find("a flit's credit comes back when it has left"),
            std::string::npos);
  EXPECT_NE(found.error.find("stress found a fault in fred3_12"), std::string::npos) << found.error;
  EXPECT_NE(test::read_text(folder_.path() + "/bad.vcd").find("$enddefinitions"), std::string::npos);
}

TEST_F(RtlStressCommand, WhatItCannotDoIsRefused) {
  for (const auto& [options, part] :
       {std::pair<const char*, const char*>{"nope", "this program has fred3_12"},
        {"fred3_12 --packets 0", "--packets"},
        {"fred3_12 --limit -1s", "--limit"},
        {"fred3_12 --seed -1", "--seed"},
        {"", "DESIGN"}}) {
    const test::ToolResult refused = stress(options);
    EXPECT_EQ(refused.exit_code, 2) << options;
    EXPECT_NE(refused.error.find(part), std::string::npos) << refused.error;
  }
}

}  // namespace
}  // namespace wafertlm
