// SPDX-License-Identifier: Apache-2.0
// The crossbar beside a SwitchModule, and in its place, with nothing around them but sources and sinks.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/rtl/switch_testbench.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPorts = 5;
constexpr std::uint64_t kBytesPerS = 32'000'000'000;  // a flit of 32 B in each cycle of 1 ns

struct CrossbarView : testing::Test {
  ClassTable classes{{{"data", 0, 1, 0}}, 1};
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  const RtlDesign& design = find_rtl_design("crossbar5", rtl_designs(), rtl_is_built());
  std::unique_ptr<SwitchTestbench> bench;

  RtlView& view() { return bench->view(); }
  void build(RtlViewMode mode, const std::string& recording = "", std::optional<std::uint32_t> tolerance = {},
             TimePs pipeline_ps = 1000) {
    SwitchTestbenchParams params;
    params.ports = kPorts;
    params.link = {kBytesPerS, 20'000, 4096};
    params.pipeline_ps = pipeline_ps;
    params.view = mode;
    params.design = &design;
    params.tolerance = tolerance;
    params.recording = recording;
    bench = std::make_unique<SwitchTestbench>(params, classes, scheduler, &checkers);
  }
  /// Packets of random lengths to random outputs, with a chance of a gap behind each.
  void add_random(std::size_t packets) {
    std::mt19937 random(7);
    for (std::uint32_t from = 0; from < kPorts; ++from) {
      TimePs now = 0;
      for (std::size_t i = 0; i < packets; ++i) {
        const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
        const std::uint32_t to = draw(kPorts);
        bench->add(from, to, i, now, 32 * (1 + draw(16)));
        now += draw(3) == 0 ? draw(2'000) * 1000 : 0;
      }
    }
  }
};

TEST_F(CrossbarView, BesideTheModelASinglePacketIsEqualToTheCycle) {
  build(RtlViewMode::both, "", 0);
  for (std::uint32_t i = 0; i < 20; ++i)
    bench->add(i % kPorts, (i * 3 + 1) % kPorts, i, 1'000'000 * (i + 1), 32 * (i + 1));
  scheduler.run();
  view().finish();
  const RtlScoreboard& board = *view().scoreboard();
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_EQ(board.compared(), 20U);
  EXPECT_EQ(board.compared_data(), 20U);
  EXPECT_EQ(board.latency_histogram(), (std::map<std::int64_t, std::uint64_t>{{0, 20}}));
  EXPECT_LT(view().cycles(), 20U * 100);  // the clock stood most of the 21 us
  checkers.finish();
}

TEST_F(CrossbarView, BesideTheModelUnderRandomTraffic) {
  build(RtlViewMode::both);
  add_random(1000);
  scheduler.run();
  view().finish();
  const RtlScoreboard& board = *view().scoreboard();
  std::printf("%s", board.report().c_str());
  EXPECT_EQ(board.compared(), 5000U);
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_NEAR(board.mean_rtl_latency_ps() / board.mean_model_latency_ps(), 1, 0.05);
  EXPECT_NEAR(board.worst_throughput_ratio(), 1, 0.02);
}

TEST_F(CrossbarView, InPlaceOfTheModel) {
  build(RtlViewMode::rtl);
  add_random(200);
  scheduler.run();
  view().finish();
  EXPECT_EQ(bench->arrived(), 1000U);
  view().require_rest();
  checkers.finish();
}

TEST_F(CrossbarView, AModelThatIsACycleFasterDiverges) {
  build(RtlViewMode::both, "", 0, 0);
  bench->add(1, 2, 0, 50'000, 128);
  scheduler.run();
  view().finish();
  const RtlScoreboard& board = *view().scoreboard();
  ASSERT_EQ(board.divergences(RtlDivergenceKind::time), 1U) << board.report();
  EXPECT_EQ(board.first_divergence()->at_ps, 70'000U);
  EXPECT_EQ(board.first_divergence()->output, 2U);
}

TEST_F(CrossbarView, ARecordingOfTheModelReplaysIntoTheRtlAlone) {
  const test::TempFolder folder;
  const std::string file = folder.path() + "/router0.rec";
  build(RtlViewMode::tlm, file);
  const auto alone = design.make("alone");  // no module can be made when the simulation has started
  add_random(200);
  scheduler.run();
  view().finish();

  RtlRecordingReader recording(file);
  RtlBenchParams params;
  params.clock.hz = 1'000'000'000;
  params.rooms = recording.head().rooms;
  RtlScoreboardOptions options;
  options.cycle_ps = 1000;
  options.tolerance.reset();
  RtlShadow shadow(design, *alone, params, options);
  for (RtlEvent event; recording.next(event);) shadow.apply(event);
  shadow.finish();
  EXPECT_TRUE(shadow.scoreboard().passed()) << shadow.scoreboard().report();
  EXPECT_EQ(shadow.scoreboard().compared(), 1000U);
}

}  // namespace
}  // namespace wafertlm
