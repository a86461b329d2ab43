// SPDX-License-Identifier: Apache-2.0
// A FIFO in SystemC RTL at a switch of two ports: as the model to the cycle, and as the one in SystemVerilog.
#include <gtest/gtest.h>

#include <random>

#include "tests/rtl/switch_testbench.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kBytesPerS = 32'000'000'000;  // a flit of 32 B in each cycle of 1 ns
constexpr std::uint64_t kPackets = 300;

struct SystemcView : testing::Test {
  ClassTable classes{{{"data", 0, 1, 0}}, 1};
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;

  std::unique_ptr<SwitchTestbench> build(const std::string& name, const char* design, RtlViewMode view,
                                         std::uint32_t room_bytes = 4096) {
    SwitchTestbenchParams params;
    params.name = name;
    params.ports = 2;
    params.link = {kBytesPerS, 20'000, room_bytes};
    params.view = view;
    params.design = &find_rtl_design(design, rtl_designs(), rtl_is_built());
    params.tolerance = 0;
    auto made = std::make_unique<SwitchTestbench>(params, classes, scheduler, &checkers);
    std::mt19937 random(3);
    for (std::uint32_t from = 0; from < 2; ++from) {
      TimePs now = 0;
      for (std::uint64_t i = 0; i < kPackets; ++i) {
        const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
        made->add(from, 1 - from, i, now, 32 * (1 + draw(16)));
        now += draw(3) == 0 ? draw(100) * 1000 : 0;
      }
    }
    return made;
  }
};

TEST_F(SystemcView, BesideTheModelItIsEqualToTheCycle) {
  const auto bench = build("router0", "link_systemc", RtlViewMode::both);
  scheduler.run();
  bench->view().finish();
  const RtlScoreboard& board = *bench->view().scoreboard();
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_EQ(board.compared_data(), 2 * kPackets);
  EXPECT_EQ(board.largest_difference_ps(), 0);
  checkers.finish();
}

// Two kernels of their own beside a third: each has its own clock, and packets cross between none of them.
TEST_F(SystemcView, InPlaceItIsAsTheOneInSystemVerilogToThePicosecond) {
  constexpr std::uint32_t kLittleRoom = 512;  // a packet waits for the one before
  const auto verilog = build("verilog", "axi_link", RtlViewMode::rtl, kLittleRoom);
  const auto systemc = build("systemc", "link_systemc", RtlViewMode::rtl, kLittleRoom);
  const auto again = build("again", "link_systemc", RtlViewMode::rtl, kLittleRoom);
  scheduler.run();
  for (const auto& bench : {systemc.get(), again.get(), verilog.get()}) {
    bench->view().finish();
    bench->view().require_rest();
    EXPECT_TRUE(bench->view().scoreboard()->passed());
    EXPECT_EQ(bench->arrived(), 2 * kPackets);
    EXPECT_EQ(bench->view().cycles(), verilog->view().cycles());
    for (std::uint32_t output = 0; output < 2; ++output)
      EXPECT_EQ(bench->arrivals(output), verilog->arrivals(output));
  }
  checkers.finish();
}

}  // namespace
}  // namespace wafertlm
