// SPDX-License-Identifier: Apache-2.0
// Rules of the router, each where RTL and model have to agree to the cycle.
#include <gtest/gtest.h>

#include "tests/rtl/switch_testbench.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPorts = 5, kFlitBytes = 32;
constexpr std::uint64_t kBytesPerS = 32'000'000'000;  // a flit in each cycle of 1 ns
constexpr TimePs kNs = 1000;

struct MeshRouter : testing::Test {
  ClassTable classes{{{"low", 0, 1, 0}, {"high", 1, 1, 2}, {"even", 2, 1, 1}, {"odd", 3, 1, 1}}, 4};
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  std::unique_ptr<SwitchTestbench> bench;

  void build(RtlViewMode mode, const char* design = "mesh_router", InputQueue queue = InputQueue::per_output,
             std::uint32_t room_flits = 512) {
    SwitchTestbenchParams params;
    params.ports = kPorts;
    params.link = {kBytesPerS, 20 * kNs, std::uint64_t{room_flits} * kFlitBytes};
    params.pipeline_ps = 2 * kNs;
    params.input_queue = queue;
    params.view = mode;
    params.design = &find_rtl_design(design, rtl_designs(), rtl_is_built());
    params.tolerance = 0;
    bench = std::make_unique<SwitchTestbench>(params, classes, scheduler, &checkers);
  }
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs at_ps, std::uint32_t flits,
           std::uint32_t of_class = 0) {
    Packet packet;
    packet.traffic_class = static_cast<ClassId>(of_class);
    packet.vc = static_cast<VcId>(of_class);
    bench->add(from, to, sequence, at_ps, flits * kFlitBytes, packet);
  }
  void run(std::size_t packets) {
    scheduler.run();
    bench->view().finish();
    checkers.finish();
    const RtlScoreboard& board = *bench->view().scoreboard();
    EXPECT_TRUE(board.passed()) << board.report();
    EXPECT_EQ(board.compared_data(), packets);
    EXPECT_EQ(bench->arrived(), packets);
  }
};

TEST_F(MeshRouter, PacketsOfAllInputsTakeTurnsAtAnOutput) {
  build(RtlViewMode::both);
  for (std::uint32_t k = 0; k < 10; ++k)
    for (std::uint32_t from = 0; from < kPorts; ++from) add(from, 3, k, 0, 1 + (k + from) % 7);
  run(50);
}

TEST_F(MeshRouter, PrioritiesGoFirstAndChannelsOfOnePriorityTakeTurns) {
  build(RtlViewMode::both);
  for (std::uint32_t k = 0; k < 16; ++k)
    for (std::uint32_t from = 0; from < kPorts; ++from) add(from, 2, k, 0, 4, (k + from) % 4);
  run(80);
}

TEST_F(MeshRouter, ABlockedPacketHoldsUpNoOtherOutput) {
  build(RtlViewMode::both);
  // Inputs 0 and 1 compete for output 4; behind the loser waits one for output 3, which is free.
  add(0, 4, 0, 0, 64);
  add(1, 4, 0, 0, 64);
  add(1, 3, 1, 0, 1);
  run(3);
  EXPECT_EQ(bench->arrivals(3)[0].head_ps, 64 * kNs + 42 * kNs);
}

}  // namespace
}  // namespace wafertlm
