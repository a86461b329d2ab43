// SPDX-License-Identifier: Apache-2.0
// The bridge to AXI4-Stream, with the crossbar of this folder behind it and nothing around it.
#include <gtest/gtest.h>

#include <random>

#include "models/rtl/bench.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kFlitBytes = 32, kFlits = 4;

struct Out {
  RtlTransaction packet;
  TimePs tail_ps;
};

struct CrossbarTest : testing::Test, RtlBenchHost {
  const RtlDesign& design = find_rtl_design("crossbar5", rtl_designs(), rtl_is_built());
  std::unique_ptr<RtlModel> model = design.make("crossbar");
  std::vector<Out> out;
  std::vector<std::string> broken_rules;

  std::unique_ptr<RtlBench> bench(std::uint32_t room = 0) {
    sc_core_start();
    return std::make_unique<RtlBench>(
        design, *model, RtlBenchParams{{1'000'000'000}, std::vector<std::uint32_t>(5, room), {}},
        static_cast<RtlBenchHost&>(*this));
  }
  static void sc_core_start();
  static RtlEvent packet(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs head_ps) {
    RtlEvent event;
    event.kind = RtlEvent::Kind::arrive;
    event.now_ps = event.head_ps = head_ps;
    event.tail_ps = head_ps + kFlits * 1000;
    event.port = from;
    event.flow = RtlEntry::of_message(to, 0);
    event.sequence = sequence;
    event.bytes = kFlits * kFlitBytes;
    event.flits = kFlits;
    return event;
  }
  void run(RtlBench& of) {
    while (of.next_wake_ps() != kNever) of.wake();
  }
  void head_out(std::uint32_t, std::uint32_t, std::uint64_t, TimePs) override {}
  void packet_out(const RtlTransaction& packet, TimePs tail_ps) override { out.push_back({packet, tail_ps}); }
  void broken_rule(const RtlDivergence& broken) override { broken_rules.push_back(broken.expected); }
};

void CrossbarTest::sc_core_start() {}

TEST_F(CrossbarTest, APacketLeavesACycleLaterWithItsValues) {
  const auto made = bench();
  made->arrive(packet(1, 3, 0, 10'000));
  run(*made);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].packet.output, 3U);
  EXPECT_EQ(out[0].packet.head_ps, 11'000U);  // a register before each output
  EXPECT_EQ(out[0].tail_ps, 15'000U);
  EXPECT_EQ(out[0].packet.data,
            made_up_data(DataType::int32, RtlEntry::of_message(3, 0), 0, 1, kFlits * kFlitBytes));
  EXPECT_TRUE(broken_rules.empty());
  EXPECT_EQ(made->inside(), 0U);
}

}  // namespace
}  // namespace wafertlm
