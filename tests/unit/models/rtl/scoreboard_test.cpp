// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/scoreboard.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

RtlTransaction packet(std::uint64_t sequence, TimePs head_ps, std::uint32_t bytes = 64) {
  RtlTransaction transaction;
  transaction.flow = 3;
  transaction.sequence = sequence;
  transaction.output = 1;
  transaction.arrival_ps = head_ps > 500 ? head_ps - 500 : 0;
  transaction.head_ps = head_ps;
  transaction.bytes = bytes;
  return transaction;
}

RtlTransaction with_data(RtlTransaction transaction, std::initializer_list<int> bytes) {
  for (const int byte : bytes) transaction.data.push_back(static_cast<std::byte>(byte));
  return transaction;
}

TEST(RtlScoreboard, EitherSideMayComeFirst) {
  RtlScoreboard board({"s", 1000, 2});
  board.expect(packet(0, 10'000));
  board.observe(packet(0, 12'000));  // as late as it may be
  board.observe(packet(1, 20'000));
  board.expect(packet(1, 22'000));
  board.expect(packet(2, 30'000));
  board.observe(packet(2, 30'400));
  board.finish();
  EXPECT_TRUE(board.passed());
  EXPECT_EQ(board.compared(), 3U);
  EXPECT_EQ(board.compared_data(), 0U);
  EXPECT_EQ(board.largest_difference_ps(), 2000);
  EXPECT_EQ(board.latency_histogram(), (std::map<std::int64_t, std::uint64_t>{{2, 1}, {-2, 1}, {0, 1}}));
  EXPECT_DOUBLE_EQ(board.mean_model_latency_ps(), 500);
  EXPECT_DOUBLE_EQ(board.mean_rtl_latency_ps(), 500 + (2000 - 2000 + 400) / 3.0);
}

TEST(RtlScoreboard, TimesOutsideTheTolerance) {
  for (const TimePs late : {2000U, 2001U}) {
    RtlScoreboard board({"s", 1000, 2});
    board.observe(packet(0, 10'000));
    board.expect(packet(0, 10'000 + late));
    EXPECT_EQ(board.divergences(RtlDivergenceKind::time), late > 2000 ? 1U : 0U);
    EXPECT_EQ(board.largest_difference_ps(), -static_cast<std::int64_t>(late));
  }
  RtlScoreboard any({"s", 1000, {}});
  any.expect(packet(0, 10'000));
  any.observe(packet(0, 90'000));
  EXPECT_TRUE(any.passed());
}

TEST(RtlScoreboard, DataBitForBit) {
  RtlScoreboard board({"s", 1000, 0});
  board.expect(with_data(packet(0, 1000), {1, 2, 3}));
  board.observe(with_data(packet(0, 1000), {1, 2, 3}));
  EXPECT_TRUE(board.passed());
  EXPECT_EQ(board.compared_data(), 1U);
  board.expect(with_data(packet(1, 3000), {1, 2, 3}));
  board.observe(with_data(packet(1, 3000), {1, 2, 4}));
  ASSERT_EQ(board.divergences(RtlDivergenceKind::data), 1U);
  EXPECT_EQ(board.first_divergence()->expected, "3 bytes, at byte 2: 03");
  EXPECT_EQ(board.first_divergence()->got, "3 bytes, at byte 2: 04");
  board.expect(with_data(packet(2, 4000), {1, 2}));
  board.observe(with_data(packet(2, 4000), {1, 2, 3}));  // as many bytes by name, more in fact
  board.expect(packet(3, 5000, 64));
  board.observe(packet(3, 5000, 65));
  board.expect(with_data(packet(4, 6000), {1}));
  board.observe(packet(4, 6000));  // without data there is nothing to compare
  EXPECT_EQ(board.divergences(RtlDivergenceKind::data), 3U);
  EXPECT_EQ(board.compared_data(), 3U);
  EXPECT_EQ(board.divergences(), 3U);
}

TEST(RtlScoreboard, MissingUnexpectedAndTwice) {
  RtlScoreboard board({"s", 1000, 0});
  board.expect(packet(5, 9000));
  board.expect(packet(4, 8000));
  board.observe(packet(7, 3000));
  board.observe(packet(7, 3000));
  EXPECT_EQ(board.divergences(RtlDivergenceKind::unexpected), 1U);
  EXPECT_EQ(board.divergences(RtlDivergenceKind::missing), 0U);
  board.finish();
  EXPECT_EQ(board.divergences(RtlDivergenceKind::unexpected), 2U);
  EXPECT_EQ(board.divergences(RtlDivergenceKind::missing), 2U);
  EXPECT_EQ(board.first_divergence()->at_ps, 3000U);
  board.violation({RtlDivergenceKind::protocol, 2000, RtlDivergence::kNoPacket, 0, 4, "a rule", "seen"});
  EXPECT_EQ(board.first_divergence()->kind, RtlDivergenceKind::protocol);
  EXPECT_EQ(board.first_divergence()->output, 4U);
  EXPECT_EQ(board.divergences(), 5U);
  board.finish();  // nothing is left
  EXPECT_EQ(board.divergences(), 5U);
}

// What is late by more than the patience is missing once, even if it comes after all.
TEST(RtlScoreboard, Patience) {
  RtlScoreboardOptions options{"s", 1000, {}};
  options.patience_ps = 10'000;
  RtlScoreboard board(options);
  board.expect(packet(0, 1000));
  board.expect(packet(1, 11'000));  // not yet: by no more than the patience
  board.observe(packet(1, 11'000));
  EXPECT_EQ(board.divergences(), 0U);
  board.expect(packet(2, 11'001));
  EXPECT_EQ(board.divergences(RtlDivergenceKind::missing), 1U);
  board.observe(packet(0, 12'000));
  board.observe(packet(2, 12'000));
  board.finish();
  EXPECT_EQ(board.divergences(), 1U);
  EXPECT_EQ(board.compared(), 2U);
}

TEST(RtlScoreboard, ThroughputByWindow) {
  RtlScoreboardOptions options{"s", 1000, {}};
  options.window_packets = 2;
  RtlScoreboard board(options);
  EXPECT_EQ(board.worst_throughput_ratio(), 1);
  // A packet every 1000 ps from the model; from the RTL windows of 2000, 1600 and 5000 ps.
  const TimePs rtl[] = {0, 1000, 2000, 3000, 3600, 4000, 8600};
  for (std::uint64_t k = 0; k < 7; ++k) {
    board.expect(packet(k, 1000 * k, 100));
    board.observe(packet(k, rtl[k], 100));
  }
  EXPECT_EQ(board.throughput_windows(), 3U);
  EXPECT_DOUBLE_EQ(board.worst_throughput_ratio(), 2000.0 / 5000);
  EXPECT_DOUBLE_EQ(board.model_bytes_per_s(), 700.0 / 6000 * 1e12);
  EXPECT_DOUBLE_EQ(board.rtl_bytes_per_s(), 700.0 / 8600 * 1e12);
  RtlScoreboard single(options);
  single.expect(packet(0, 1000));
  EXPECT_EQ(single.model_bytes_per_s(), 0);
}

// By hand: 18 packets, 500 ps after they came at the model, 0, 1, … 17 cycles later at the RTL; and one in
// between with other bytes, which begins no window.
TEST(RtlScoreboard, ReportsInWords) {
  RtlScoreboardOptions options{"l1_0", 1000, 16};
  options.window_packets = 6;
  RtlScoreboard board(options);
  for (std::uint64_t k = 0; k < 18; ++k) {
    board.expect(packet(k, 1000 + 10'000 * k, 1000));
    board.observe(packet(k, 1000 + 11'000 * k, 1000));
  }
  EXPECT_EQ(board.divergences(), 1U);
  EXPECT_EQ(board.first_divergence()->expected, "head at 171000 ps (500 ps after it came) within 16 cycles");
  EXPECT_EQ(board.first_divergence()->got, "head at 188000 ps (17500 ps after it came), +17000 ps");
  RtlTransaction nine = with_data(packet(18, 99'000, 10), {0, 1, 2, 3, 0xf4, 5, 6, 7, 8, 9});
  board.expect(nine);
  nine.data[1] = std::byte{0xab};
  board.observe(nine);
  board.violation(
      {RtlDivergenceKind::protocol, 200'000, RtlDivergence::kNoPacket, 0, 3, "a rule", "what was seen"});
  EXPECT_EQ(board.report(),
            "scoreboard of l1_0: data DIFFER, times DIFFER: 1 of 19 packets by more than 16 cycles\n"
            "  packets                   TLM 19, RTL 19, compared 19 (data of 1)\n"
            "  mean latency              TLM 500.0 ps, RTL 8552.6 ps\n"
            "  throughput                TLM 105.9 GB/s, RTL 96.3 GB/s; worst window of 6 packets 0.9091 (2 "
            "windows)\n"
            "  RTL - TLM                 packets by cycles: 0: 2, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, "
            "8: 1, 9: 1, "
            "10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1 … 17\n"
            "  largest difference        heads 17000 ps, tails 0 ps\n"
            "  divergences               data 1, time 1, missing 0, unexpected 0, protocol 1\n"
            "  first divergence          data at 99000 ps, l1_0, output 1, flow 3, sequence 18\n"
            "    expected                10 bytes, at byte 1: 01 02 03 f4 05 06 07 08\n"
            "    got                     10 bytes, at byte 1: ab 02 03 f4 05 06 07 08\n");
}

TEST(RtlScoreboard, ReportsBrokenRulesByPort) {
  RtlScoreboard board({"s", 1000, {}});
  EXPECT_EQ(board.verdict(), "data equal, times not judged");
  board.violation(
      {RtlDivergenceKind::protocol, 2000, RtlDivergence::kNoPacket, 0, 4, "a rule", "what was seen", true});
  const std::string report = board.report();
  EXPECT_EQ(report.substr(report.find("  largest")),
            "  largest difference        heads 0 ps, tails 0 ps\n"
            "  divergences               data 0, time 0, missing 0, unexpected 0, protocol 1\n"
            "  first divergence          protocol at 2000 ps, s, input 4\n"
            "    expected                a rule\n"
            "    got                     what was seen\n");
}

TEST(RtlScoreboard, TimesHaveAVerdictOfTheirOwn) {
  const auto board_of = [](std::optional<std::uint32_t> tolerance, TimePs late_ps) {
    RtlScoreboard board({"s", 1000, tolerance});
    for (std::uint64_t k : {7U, 3U}) {
      board.expect(packet(k, 1000 * k));
      board.observe(packet(k, 1000 * k + late_ps));
    }
    return board;
  };
  const RtlScoreboard judged = board_of(2, 2001);
  EXPECT_EQ(judged.verdict(), "data equal, times DIFFER: 2 of 2 packets by more than 2 cycles");
  EXPECT_EQ(judged.verdict({"flit"}), judged.verdict());
  EXPECT_TRUE(judged.data_passed());
  EXPECT_FALSE(judged.passed());
  EXPECT_EQ(judged.first_divergence()->at_ps, 3000U);
  EXPECT_EQ(board_of(2, 2000).verdict(), "data equal, heads and tails within 2 cycles");
  EXPECT_EQ(board_of({}, 2001).verdict(), "data equal, times not judged");
  EXPECT_TRUE(board_of({}, 2001).passed());
  EXPECT_EQ(RtlScoreboardOptions().tolerance, 1U);
  RtlScoreboard alone({"s", 1000, {}, false});
  alone.expect(with_data(packet(1, 1000, 2), {1, 2}));
  alone.observe(with_data(packet(1, 1000, 2), {1, 3}));
  EXPECT_EQ(alone.verdict(), "data DIFFER, times not compared (no model beside it)");
}

// Equal by luck: under other traffic they would not be.
TEST(RtlScoreboard, WhileAPropertyDiffersNoTimesAgree) {
  const RtlScoreboard board({"s", 1000, 1});
  EXPECT_EQ(board.verdict({"flit", "room behind an output"}),
            "data equal, times NOT COMPARABLE: model and RTL differ in flit, room behind an output");
  EXPECT_EQ(board.report({}, {"flit"}).find("within"), std::string::npos);
}

// A head in time, and flits that dawdle.
TEST(RtlScoreboard, TailsAreJudgedAsHeadsAre) {
  for (const TimePs late_ps : {1000U, 1001U}) {
    RtlScoreboard board({"s", 1000, 1});
    RtlTransaction model = packet(0, 10'000), rtl = packet(0, 10'000);
    model.tail_ps = 14'000;
    rtl.tail_ps = 14'000 + late_ps;
    board.expect(model);
    board.observe(rtl);
    EXPECT_EQ(board.largest_difference_ps(), 0);
    EXPECT_EQ(board.largest_tail_difference_ps(), static_cast<std::int64_t>(late_ps));
    EXPECT_EQ(board.passed(), late_ps == 1000);
    if (board.passed()) continue;
    EXPECT_EQ(board.first_divergence()->expected, "tail at 14000 ps (4000 ps after the head) within 1 cycle");
    EXPECT_EQ(board.first_divergence()->got, "tail at 15001 ps (5001 ps after the head), +1001 ps");
    rtl.sequence = model.sequence = 1;
    model.tail_ps = kNever;  // nobody knows it
    board.expect(model);
    board.observe(rtl);
    EXPECT_EQ(board.divergences(), 1U);
  }
}

TEST(RtlScoreboard, TwiceAndMissingAreTold) {
  RtlScoreboard board({"s", 1000, 0});
  board.expect(packet(5, 9000));
  board.expect(packet(5, 8000));
  EXPECT_EQ(board.first_divergence()->expected, "once");
  EXPECT_EQ(board.first_divergence()->got, "twice from the model");
  EXPECT_EQ(board.first_divergence()->at_ps, 8000U);
  board.observe(packet(4, 7000));
  board.observe(packet(4, 7500));
  EXPECT_EQ(board.first_divergence()->got, "twice");
  board.finish();
  EXPECT_EQ(board.first_divergence()->expected, "nothing");
  EXPECT_EQ(board.first_divergence()->got, "head at 7000 ps");
  RtlScoreboardOptions impatient{"s", 1000, {}};
  impatient.patience_ps = 1000;
  RtlScoreboard late(impatient);
  late.expect(packet(0, 5000));
  late.expect(packet(1, 6001));
  EXPECT_EQ(late.first_divergence()->expected, "head at 5000 ps (500 ps after it came)");
  EXPECT_EQ(late.first_divergence()->got, "nothing");
}

}  // namespace
}  // namespace wafertlm
