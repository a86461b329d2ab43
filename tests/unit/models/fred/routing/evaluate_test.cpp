// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/evaluate.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "models/fred/routing/network.h"
#include "tests/unit/models/fred/routing/carried.h"

namespace wafertlm {
namespace {

// FRED_2(4) by hand: µswitches in0, in1, mid0/rd, mid1/rd, out0, out1, two outputs each, in this order.
const FredNetwork kFour(2, 4);
constexpr std::size_t kIn0 = 0, kIn1 = 2, kMid0 = 4, kMid1 = 6, kOut0 = 8, kOut1 = 10;

FredConfiguration all_reduce() {
  FredConfiguration configuration = kFour.netlist().idle();
  configuration.takes[kIn0] = 3;  // 0 + 1 to middle 0
  configuration.takes[kIn1] = 3;
  configuration.takes[kMid0] = configuration.takes[kMid0 + 1] = 3;
  for (const std::size_t out : {kOut0, kOut1})
    configuration.takes[out] = configuration.takes[out + 1] = 1;  // from middle 0
  return configuration;
}

TEST(FredEvaluate, AnAllReduceByHand) {
  const FredValues values = evaluate(kFour.netlist(), all_reduce());
  for (std::uint32_t output = 0; output < 4; ++output) {
    EXPECT_EQ(values.expression(output), "((0+1)+(2+3))");
    EXPECT_EQ(test::inputs_of(values, output), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  }
  EXPECT_EQ(values.sums.size(), 3U);  // each addition is done once
}

TEST(FredEvaluate, NothingArrivesWhereNothingIsSet) {
  FredConfiguration configuration = kFour.netlist().idle();
  configuration.takes[kIn0 + 1] = 2;  // port 1 to middle 1
  configuration.takes[kMid1] = 1;
  configuration.takes[kOut0 + 1] = 2;  // from middle 1 to port 1
  const FredValues values = evaluate(kFour.netlist(), configuration);
  EXPECT_EQ(values.expression(1), "1");
  for (const std::uint32_t output : {0U, 2U, 3U}) EXPECT_EQ(values.expression(output), "");
}

void expect_refused(const std::string& message, const std::function<void(FredConfiguration&)>& change) {
  FredConfiguration configuration = all_reduce();
  change(configuration);
  try {
    evaluate(kFour.netlist(), configuration);
    ADD_FAILURE() << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(FredEvaluate, RefusesWhatAMicroSwitchCannotDo) {
  expect_refused("R-µswitch in0: cannot copy an input to two outputs",
                 [](auto& c) { c.takes[kIn0 + 1] = 1; });
  expect_refused("D-µswitch out0: cannot add its inputs", [](auto& c) { c.takes[kOut0] = 3; });
  expect_refused("RD-µswitch mid0/rd: outputs that share an input must be equal",
                 [](auto& c) { c.takes[kMid0] = 1; });
  expect_refused("D-µswitch out1: takes an input that it does not have", [](auto& c) { c.takes[kOut1] = 4; });
  expect_refused("D-µswitch out1 takes input 1, on which nothing arrives",
                 [](auto& c) { c.takes[kOut1] = 2; });
  expect_refused("the configuration belongs to another FRED switch: it has 11 µswitch outputs instead of 12",
                 [](auto& c) { c.takes.pop_back(); });
}

TEST(FredEvaluate, ConfigurationsCanBePrinted) {
  EXPECT_EQ(describe(kFour.netlist(), all_reduce()),
            "in0      R      0+1->0  reduces\n"
            "in1      R      0+1->0  reduces\n"
            "mid0/rd  RD     0+1->0,1  reduces, distributes\n"
            "out0     D      0->0,1  distributes\n"
            "out1     D      0->0,1  distributes\n");
  FredConfiguration crossed = kFour.netlist().idle();
  crossed.takes[kIn0] = 1;
  crossed.takes[kIn0 + 1] = 2;
  crossed.takes[kIn1 + 1] = 3;
  crossed.takes[kMid1] = 2;
  crossed.takes[kMid1 + 1] = 1;
  crossed.takes[kOut1 + 1] = 2;
  EXPECT_EQ(describe(kFour.netlist(), crossed),
            "in0      R      0->0  1->1\n"
            "in1      R      0+1->1  reduces\n"
            "mid1/rd  RD     1->0  0->1\n"
            "out1     D      1->1\n");
  const std::string all = describe(kFour.netlist(), all_reduce(), true);
  EXPECT_NE(all.find("mid1/rd  RD     idle\n"), std::string::npos) << all;
}

}  // namespace
}  // namespace wafertlm
