// SPDX-License-Identifier: Apache-2.0
// The crossbar beside a SwitchModule, and in its place, with nothing around them but sources and sinks.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/support/fabric_ends.h"
#include "tests/support/temp_folder.h"
#include "tlm/fabric/checker.h"
#include "tlm/rtl/rtl_view.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPorts = 5;
constexpr std::uint64_t kBytesPerS = 32'000'000'000;  // a flit of 32 B in each cycle of 1 ns

struct ToDestination final : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

struct CrossbarView : testing::Test {
  ClassTable classes{{{"data", 0, 1, 0}}, 1};
  PacketPool pool;
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  ToDestination routes;
  OutputParams link{kBytesPerS, 20'000, 4096};
  const RtlDesign& design = find_rtl_design("crossbar5", rtl_designs(), rtl_is_built());
  std::unique_ptr<SwitchModule> at;
  std::unique_ptr<RtlModel> model;
  std::unique_ptr<RtlView> view;
  std::vector<std::unique_ptr<FabricSource>> sources;
  std::vector<std::unique_ptr<FabricSink>> sinks;

  void build(RtlViewMode mode, const std::string& recording = "", TimePs tolerance_ps = kNever,
             TimePs pipeline_ps = 1000) {
    SwitchParams params;
    params.pipeline_ps = pipeline_ps;
    params.input_queue = InputQueue::fifo;
    params.credit_delay_ps.assign(kPorts, 20'000);
    params.outputs.assign(kPorts, link);
    std::vector<std::string> names;
    for (std::uint32_t port = 0; port < kPorts; ++port) names.push_back(std::to_string(port));
    at = std::make_unique<SwitchModule>("router0", params, names, names, classes, routes, scheduler);
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      const auto id = static_cast<PortId>(port);
      sources.push_back(
          std::make_unique<FabricSource>(("source" + names[port]).c_str(), link, classes, scheduler));
      sinks.push_back(std::make_unique<FabricSink>(("sink" + names[port]).c_str(),
                                                   FabricSink::Credit::announced, scheduler));
      bind_checked(sources.back()->socket, at->input(id), &checkers, "to_" + names[port], link, classes);
      bind_checked(at->output(id), sinks.back()->socket, &checkers, "from_" + names[port], link, classes);
    }
    if (mode != RtlViewMode::tlm) model = design.make("rtl");
    RtlViewParams made;
    made.mode = mode;
    made.design = mode == RtlViewMode::tlm ? nullptr : &design;
    made.flit_bytes = design.flit_bytes();
    made.tolerance_ps = tolerance_ps;
    made.outputs = params.outputs;
    made.recording = recording;
    view = std::make_unique<RtlView>(*at, scheduler, pool, classes, model.get(), made);
  }
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs at_ps, std::uint32_t bytes) {
    Packet packet;
    packet.source = static_cast<NpuId>(from);
    packet.destination = static_cast<NpuId>(to);
    packet.sequence = sequence;
    packet.payload_bytes = packet.wire_bytes = bytes;
    packet.created_ps = at_ps;
    sources[from]->add(packet);
  }
  /// Packets of random lengths to random outputs, with a chance of a gap behind each.
  void add_random(std::size_t packets) {
    std::mt19937 random(7);
    for (std::uint32_t from = 0; from < kPorts; ++from) {
      TimePs now = 0;
      for (std::size_t i = 0; i < packets; ++i) {
        const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
        const std::uint32_t to = draw(kPorts);
        add(from, to, i, now, 32 * (1 + draw(16)));
        now += draw(3) == 0 ? draw(2'000) * 1000 : 0;
      }
    }
  }
  std::size_t arrived() const {
    std::size_t packets = 0;
    for (const auto& sink : sinks) packets += sink->arrivals().size();
    return packets;
  }
};

TEST_F(CrossbarView, BesideTheModelASinglePacketIsEqualToTheCycle) {
  build(RtlViewMode::both, "", 0);
  for (std::uint32_t i = 0; i < 20; ++i)
    add(i % kPorts, (i * 3 + 1) % kPorts, i, 1'000'000 * (i + 1), 32 * (i + 1));
  scheduler.run();
  view->finish();
  const RtlScoreboard& board = *view->scoreboard();
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_EQ(board.compared(), 20U);
  EXPECT_EQ(board.compared_data(), 20U);
  EXPECT_EQ(board.latency_histogram(), (std::map<std::int64_t, std::uint64_t>{{0, 20}}));
  EXPECT_LT(view->cycles(), 20U * 100);  // the clock stood most of the 21 us
  checkers.finish();
}

TEST_F(CrossbarView, BesideTheModelUnderRandomTraffic) {
  build(RtlViewMode::both);
  add_random(1000);
  scheduler.run();
  view->finish();
  const RtlScoreboard& board = *view->scoreboard();
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
  view->finish();
  EXPECT_EQ(arrived(), 1000U);
  view->require_rest();
  checkers.finish();
}

TEST_F(CrossbarView, AModelThatIsACycleFasterDiverges) {
  build(RtlViewMode::both, "", 500, 0);
  add(1, 2, 0, 50'000, 128);
  scheduler.run();
  view->finish();
  const RtlScoreboard& board = *view->scoreboard();
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
  view->finish();

  RtlRecordingReader recording(file);
  RtlBenchParams params;
  params.clock.hz = 1'000'000'000;
  params.rooms = recording.head().rooms;
  RtlScoreboardOptions options;
  options.cycle_ps = 1000;
  RtlShadow shadow(design, *alone, params, options);
  for (RtlEvent event; recording.next(event);) shadow.apply(event);
  shadow.finish();
  EXPECT_TRUE(shadow.scoreboard().passed()) << shadow.scoreboard().report();
  EXPECT_EQ(shadow.scoreboard().compared(), 1000U);
}

}  // namespace
}  // namespace wafertlm
