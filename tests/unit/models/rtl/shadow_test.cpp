// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/shadow.h"

#include <gtest/gtest.h>

#include "tests/support/soft_rtl.h"

namespace wafertlm {
namespace {

/// Four ports of 8 B; what comes in at `source` leaves 2 cycles later.
struct RtlShadowAlone : testing::Test {
  RtlDesign design = make();
  test::SoftRtl pins{design};
  test::DelayLine module{design, pins};
  RtlShadow shadow{design, pins, RtlBenchParams{}, RtlScoreboardOptions{"s", 1000, 0}};
  std::uint32_t source = 0;

  static RtlDesign make() {
    RtlDesign made;
    made.protocol = RtlProtocol::credit_stream;
    made.ports = 4;
    made.flit_bits = 64;
    made.depth = made.out_depth = 8;
    made.latency = 2;
    return made;
  }
  void open(AdditionOrder order) {
    RtlEvent event;
    event.kind = RtlEvent::Kind::open;
    event.entry.number = 5;
    event.entry.inputs = {0, 2, 3};
    event.entry.outputs = {1, 2};
    event.entry.order = std::move(order);
    module.outputs_of = [this](const RtlHeader&, std::uint32_t input) {
      return input == source ? std::vector<std::uint32_t>{1, 2} : std::vector<std::uint32_t>{};
    };
    shadow.apply(event);
  }
  static RtlEvent event(RtlEvent::Kind kind, std::uint32_t port, TimePs head_ps,
                        std::initializer_list<int> data = {}) {
    RtlEvent made;
    made.kind = kind;
    made.now_ps = made.head_ps = made.tail_ps = head_ps;
    if (kind == RtlEvent::Kind::leave) made.tail_ps = kNever;
    made.port = port;
    made.flow = 5;
    made.sequence = 2;
    made.bytes = 5;
    made.flits = 1;
    for (const int byte : data) made.data.push_back(static_cast<std::byte>(byte));
    return made;
  }
  void in(std::uint32_t port, TimePs head_ps, std::initializer_list<int> data = {}) {
    shadow.apply(event(RtlEvent::Kind::arrive, port, head_ps, data));
  }
  void out(std::uint32_t port, TimePs head_ps, std::initializer_list<int> data = {}) {
    shadow.apply(event(RtlEvent::Kind::leave, port, head_ps, data));
  }
  const RtlScoreboard& end() {
    shadow.finish();
    return shadow.scoreboard();
  }
};

// The model carries no values: they are the sum of what came, 4 B each, in the order of the additions.
TEST_F(RtlShadowAlone, ExpectsTheSumOfTheInputs) {
  open({{1, 2}, {1, 0}});
  in(0, 1000, {1, 0, 0, 0, 0xff});
  in(2, 1000, {2, 9, 0, 0, 1});
  in(3, 3000, {4, 0, 8, 0, 1});
  source = 3;
  for (const std::uint32_t port : {1U, 2U}) out(port, 5000);
  const RtlScoreboard& board = end();
  EXPECT_EQ(board.compared_data(), 2U);
  EXPECT_EQ(board.divergences(), 2U);
  EXPECT_EQ(board.divergences(RtlDivergenceKind::data), 2U);
  EXPECT_EQ(board.first_divergence()->expected, "5 bytes, at byte 0: 07 09 08 00 01");
  EXPECT_EQ(board.first_divergence()->got, "5 bytes, at byte 0: 04 00 08 00 01");
  EXPECT_EQ(board.mean_model_latency_ps(), 2000);  // from the last input
}

TEST_F(RtlShadowAlone, ValuesOfTheModelCount) {
  open({{0, 1}, {0, 2}});
  for (const std::uint32_t port : {0U, 2U, 3U}) in(port, 1000, {1, 2, 3, 4, 5});
  out(1, 3000, {1, 2, 3, 4, 5});
  out(2, 3000, {1, 2, 3, 4, 6});
  const RtlScoreboard& board = end();
  EXPECT_EQ(board.divergences(), 1U);
  EXPECT_EQ(board.first_divergence()->output, 2U);
  EXPECT_EQ(board.first_divergence()->expected, "5 bytes, at byte 4: 06");
}

// A message without values has the made-up ones of its input at both sides.
TEST_F(RtlShadowAlone, MadeUpValuesAreThoseOfTheRtl) {
  for (const auto kind : {RtlEvent::Kind::arrive, RtlEvent::Kind::leave}) {
    RtlEvent message =
        event(kind, kind == RtlEvent::Kind::arrive ? 3 : 1, kind == RtlEvent::Kind::arrive ? 1000 : 3000);
    message.flow = RtlEntry::of_message(1, 0);
    shadow.apply(message);
  }
  const RtlScoreboard& board = end();
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_EQ(board.compared_data(), 1U);
}

// What the RTL never sends, or nobody has asked for.
TEST_F(RtlShadowAlone, WhatDoesNotLeaveIsMissing) {
  module.is_held = [](std::uint32_t) { return true; };
  open({{0, 1}, {0, 2}});
  for (const std::uint32_t port : {0U, 2U, 3U}) in(port, 1000);
  out(1, 3000);
  const RtlScoreboard& board = end();
  EXPECT_EQ(board.divergences(RtlDivergenceKind::missing), 1U);
  EXPECT_EQ(shadow.bench().inside(), 1U);
  EXPECT_EQ(shadow.next_wake_ps(), kNever);
}

}  // namespace
}  // namespace wafertlm
