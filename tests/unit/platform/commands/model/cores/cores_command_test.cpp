// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/tool.h"

namespace wafertlm {
namespace {

TEST(CoresCommand, BadInputIsNamedInOneLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"collective wse2 --cores 8x8 --set colours=7",
       "colours: the program needs 8, a router has 7; take another algorithm\n"},
      {"collective wse2 --cores 0x8",
       "--cores: '0x8' is not two whole numbers from 1 to 1000000 with an x between\n"},
      {"collective wse2 --cores 8x8x8",
       "--cores: '8x8x8' is not two whole numbers from 1 to 1000000 with an x between\n"},
      {"product wse2 --cores 8x8 --shape 4x1000001",
       "--shape: '4x1000001' is not two or three whole numbers from 1 to 1000000 with an x between\n"},
      {"decoder wse2 --d-model 8 --d-ff 8 --n-layers 1 --tokens 8", "--cores is missing\n"},
      {"decoder wse2 --d-model 8 --d-ff 8 --n-layers 1 --tokens 8 --pass training --cores 8x8",
       "--cores: training takes the whole wafer\n"},
      {"decoder wse2 --d-model 8 --d-ff 8 --n-layers 1 --tokens 8 --cores 8x8 --vocabulary 9",
       "--vocabulary has no effect without --pass training\n"}};
  for (const auto& [arguments, error] : cases) {
    const test::ToolResult result = test::run_tool(std::string("model cores ") + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.error, std::string("wafertlm: ") + error) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

/// Half the clock, twice the time; twice T_R, 4 cycles more for each of 63 sums.
TEST(CoresCommand, WhatIsSetMatters) {
  const auto line = [](const std::string& arguments) {
    return test::run_tool("model cores " + arguments).out;
  };
  const std::string decoder =
      "decoder wse2 --cores 420x420 --d-model 4096 --d-ff 14336 --n-layers 32 --tokens 4096";
  EXPECT_NE(line(decoder).find("2435.0 tokens/s"), std::string::npos);
  EXPECT_NE(line(decoder + " --set clock=0.55GHz").find("1217.5 tokens/s"), std::string::npos);
  const std::string chain = "collective wse2 --cores 64x1 --type reduce --algorithm chain --wavelets 8";
  EXPECT_NE(line(chain).find(" 386 "), std::string::npos);
  EXPECT_NE(line(chain + " --set ramp=4").find(" 638 "), std::string::npos);
}

}  // namespace
}  // namespace wafertlm
