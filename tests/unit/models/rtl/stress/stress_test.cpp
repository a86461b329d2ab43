// SPDX-License-Identifier: Apache-2.0
// Stress of a crossbar in C++: sound, nothing is found; with a fault, that fault, in a few packets.
#include "models/rtl/stress/stress.h"

#include <gtest/gtest.h>

#include <cstring>

#include "models/rtl/stress/generate.h"
#include "tests/support/soft_crossbar.h"

namespace wafertlm {
namespace {

using test::SoftCrossbar;

RtlDesign crossbar_design() {
  RtlDesign design;
  design.name = "crossbar";
  design.protocol = RtlProtocol::credit_stream;
  design.ports = 3;
  design.flit_bits = 32;
  design.channels = 2;
  design.depth = 8;
  design.out_depth = 6;
  design.latency = 2;
  return design;
}

class RtlStress : public testing::Test {
 protected:
  RtlStressResult run(const SoftCrossbar::Faults& faults, RtlStressOptions options = few_cases()) {
    test::SoftRtl pins(design);
    const SoftCrossbar crossbar(design, pins, faults);
    return stress(design, pins, params, {}, options);
  }
  static RtlStressOptions few_cases() {
    RtlStressOptions options;
    options.cases = 40;
    options.seconds = 0;
    options.packets = 60;
    options.long_cycles = 0;
    return options;
  }
  /// Whether a rule was broken whose text has `rule`, by at most so many packets.
  static void expect_rule(const RtlStressResult& found, const std::string& rule, std::size_t packets) {
    ASSERT_FALSE(found.passed());
    EXPECT_NE(found.outcome.failure->expected.find(rule), std::string::npos)
        << found.outcome.failure->expected << "; " << found.outcome.failure->got;
    EXPECT_TRUE(found.repeats);
    EXPECT_LE(found.stimulus.packets.size(), packets);
  }

  RtlDesign design = crossbar_design();
  RtlStressParams params;
};

TEST_F(RtlStress, NothingIsFoundInASoundDesign) {
  const RtlStressResult result = run({});
  EXPECT_TRUE(result.passed()) << result.outcome.failure->expected << "; " << result.outcome.failure->got;
  EXPECT_EQ(result.cases, 40U);
  // A message alone for each pair of three ports, four at full rate, 20 of 6 contenders for each output; in
  // the end of a case OUT_DEPTH flits and two more for each of 6 channels.
  EXPECT_EQ(result.packets, 40U * (60 + 6 * 8) + 9 + 36 + 3 * 120);
  EXPECT_LE(result.most_passed, 2U * 6);
  EXPECT_EQ(result.failed_seed, 0U);
  EXPECT_EQ(result.most_early, 0);
  EXPECT_GT(result.wait_cycles, result.packets * design.latency);
  EXPECT_GT(result.coverage.reached(), result.coverage.bins() / 2);
}

TEST_F(RtlStress, IsTheSameForASeed) {
  const RtlStressResult one = run({}), again = run({});
  EXPECT_EQ(one.cycles, again.cycles);
  EXPECT_EQ(one.wait_cycles, again.wait_cycles);
  RtlStressOptions other = few_cases();
  other.seed = 1000;
  EXPECT_NE(run({}, other).cycles, one.cycles);
}

TEST_F(RtlStress, FindsPacketsThatInterleaveWhenOneRunsEmpty) {
  SoftCrossbar::Faults faults;
  faults.interleaves = true;
  const RtlStressResult found = run(faults);
  ASSERT_FALSE(found.passed());
  EXPECT_TRUE(found.repeats);
  EXPECT_LE(found.stimulus.packets.size(), 3U);  // two collide, and one of them has to run empty
}

TEST_F(RtlStress, FindsCreditsThatComeBackBeforeFlitsLeave) {
  SoftCrossbar::Faults faults;
  faults.credits_at_once = true;
  expect_rule(run(faults), "a flit's credit comes back when it has left", 4);
}

TEST_F(RtlStress, FindsLostCredits) {
  SoftCrossbar::Faults faults;
  faults.loses_credit = 100;
  const RtlStressResult found = run(faults);
  ASSERT_FALSE(found.passed());
  EXPECT_NE(found.outcome.failure->expected.find("all credits come home"), std::string::npos)
      << found.outcome.failure->expected;
}

TEST_F(RtlStress, TheLongCaseFindsWhatHappensLate) {
  SoftCrossbar::Faults faults;
  faults.loses_credit = 1 << 16;
  RtlStressOptions options = few_cases();
  options.cases = 2;
  EXPECT_TRUE(run(faults, options).passed());
  options.long_cycles = 200'000;
  const RtlStressResult found = run(faults, options);
  expect_rule(found, "all credits come home", 8);
  EXPECT_TRUE(found.outcome.failure->at_input);
  EXPECT_GT(found.stimulus.least_cycles, 50'000U);
}

TEST_F(RtlStress, FindsARateThatIsNotTheDeclaredOne) {
  design.depth = design.out_depth = 64;
  SoftCrossbar::Faults faults;
  faults.rests = 3;
  expect_rule(run(faults), "flits leave at its RATE, 100 in 100 cycles", 1);
  design.rate = 50;
  EXPECT_TRUE(run(faults).passed());
}

TEST_F(RtlStress, FindsAnInputThatIsNeverServed) {
  SoftCrossbar::Faults faults;
  faults.never_rotates = true;
  expect_rule(run(faults), "contend none lets 2 x", 8);
}

TEST_F(RtlStress, FindsCreditsOfTheOutputsThatAreLost) {
  SoftCrossbar::Faults faults;
  faults.loses_output_credit = 50;
  expect_rule(run(faults), "an output that gets no credits sends OUT_DEPTH flits of each channel", 60);
}

TEST_F(RtlStress, FindsAWrongOutputAmongTheMessagesAlone) {
  SoftCrossbar::Faults faults;
  faults.wrong_output_of = 2;
  const RtlStressResult found = run(faults);
  ASSERT_FALSE(found.passed());
  EXPECT_EQ(found.cases, 0U);
  ASSERT_EQ(found.stimulus.packets.size(), 1U);
  EXPECT_EQ(found.stimulus.packets[0].output, 2U);
}

TEST_F(RtlStress, FindsALatencyThatIsNotTheDeclaredOne) {
  RtlDesign slower = design;
  slower.latency = 3;
  test::SoftRtl pins(slower);
  const SoftCrossbar crossbar(slower, pins, {});  // takes 3
  const RtlStressResult found = stress(design, pins, params, {}, few_cases());
  expect_rule(found, "a head alone leaves LATENCY = 2 cycles after it came", 1);
  EXPECT_EQ(found.outcome.failure->got, "it took 3 cycles");
}

TEST_F(RtlStress, ARareFaultIsShrunkToItsPacket) {
  // The pattern is one that a flit of these cases has: a fault on values, of which there are 131,072.
  SoftCrossbar::Faults faults;
  const RtlStimulus known = random_stimulus(design, {}, 60, 25);
  const auto data = made_up_data(DataType::int32, static_cast<std::uint32_t>(known.packets[30].id >> 24),
                                 known.packets[30].id & 0xff'ffff, known.packets[30].arrivals[0].port, 4);
  std::uint32_t word = 0;
  std::memcpy(&word, data.data(), 4);
  faults.turns_bit_of = word & 0x1'ffff;
  const RtlStressResult found = run(faults);
  ASSERT_FALSE(found.passed());
  EXPECT_EQ(found.failed_seed, 25U);
  ASSERT_EQ(found.stimulus.packets.size(), 1U);
  EXPECT_EQ(found.stimulus.packets[0].id, known.packets[30].id);
  EXPECT_EQ(found.outcome.failure->kind, RtlDivergenceKind::data);
}

TEST_F(RtlStress, AResetInTheMiddleFindsWhatItDoesNotReset) {
  SoftCrossbar::Faults faults;
  faults.keeps_flits_in_reset = true;
  RtlStressOptions options = few_cases();
  options.cases = 400;
  const RtlStressResult found = run(faults, options);
  ASSERT_FALSE(found.passed());
  EXPECT_GT(found.stimulus.cycles_before_reset, 0U);
}

TEST_F(RtlStress, WithoutShrinkingTheWholeCaseIsKept) {
  SoftCrossbar::Faults faults;
  faults.interleaves = true;
  RtlStressOptions options = few_cases();
  options.shrink_plays = 0;
  const RtlStressResult found = run(faults, options);
  ASSERT_FALSE(found.passed());
  EXPECT_EQ(found.stimulus.packets.size(), 60U);
  EXPECT_EQ(found.plays, 1U);
}

}  // namespace
}  // namespace wafertlm
