// SPDX-License-Identifier: Apache-2.0
// FRED_3(12) beside a SwitchModule with in-network flows, and in its place.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "models/rtl/rtl_view.h"
#include "platform/machine/rtl/configurations.h"
#include "tests/support/fabric_ends.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPorts = 12, kPacketBytes = 4096;
constexpr std::uint64_t kBytesPerS = 600'000'000'000;  // a flit of 8 B in each cycle of 75 GHz

struct ToDestination final : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

struct FredView : testing::Test, FlowListener {
  ClassTable classes{{{"mp", 0, 1, 3}, {"dp", 1, 1, 1}}, 2, true};
  PacketPool pool;
  Scheduler scheduler{"scheduler"};
  ToDestination routes;
  OutputParams link{kBytesPerS, 20'000, 65'536, 65'536, 32'768};
  const RtlDesign& design = find_rtl_design("fred3_12", rtl_designs(), rtl_is_built());
  std::unique_ptr<SwitchModule> at;
  std::unique_ptr<RtlModel> model;
  std::unique_ptr<RtlView> view;
  std::vector<std::unique_ptr<FabricSource>> sources;
  std::vector<std::unique_ptr<FabricSink>> sinks;
  std::vector<std::unique_ptr<Flow>> flows;
  std::size_t branches_done = 0;
  std::optional<std::uint32_t> tolerance = {};

  void branch_done(const Flow&, TimePs) override { ++branches_done; }
  void build(RtlViewMode mode) {
    SwitchParams params;
    params.pipeline_ps = 120;                     // 9 cycles
    params.input_queue = InputQueue::per_output;  // a copy does not wait for another one
    params.credit_delay_ps.assign(kPorts, 20'000);
    params.outputs.assign(kPorts, link);
    params.flow_lanes = 8;
    std::vector<std::string> names;
    for (std::uint32_t port = 0; port < kPorts; ++port) names.push_back(std::to_string(port));
    at = std::make_unique<SwitchModule>("l1_0_2", params, names, names, classes, routes, scheduler);
    at->enable_flows(pool, *this);
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      const auto id = static_cast<PortId>(port);
      sources.push_back(
          std::make_unique<FabricSource>(("source" + names[port]).c_str(), link, classes, scheduler));
      sinks.push_back(std::make_unique<FabricSink>(("sink" + names[port]).c_str(),
                                                   FabricSink::Credit::announced, scheduler));
      sources.back()->socket.bind(at->input(id));
      at->output(id).bind(sinks.back()->socket);
    }
    model = design.make("rtl");
    RtlViewParams made;
    made.mode = mode;
    made.design = &design;
    made.configuration = rtl_configuration(design);
    made.flit_bytes = design.flit_bytes();
    made.clock.hz = 75'000'000'000;
    made.outputs = params.outputs;
    made.channels = classes.virtual_channels();
    made.tolerance = tolerance;
    view = std::make_unique<RtlView>(*at, scheduler, pool, classes, model.get(), made);
  }
  /// The sum of the inputs to all outputs; every input sends its packets from `at_ps[input]` on.
  void add_flow(const std::vector<std::uint32_t>& inputs, const std::vector<std::uint32_t>& outputs,
                ClassId id, std::uint64_t packets, const std::vector<TimePs>& at_ps,
                DataType type = DataType::int32) {
    flows.push_back(std::make_unique<Flow>());
    Flow& flow = *flows.back();
    flow.key = {1, flows.size()};
    flow.traffic_class = id;
    flow.data_type = type;
    flow.packets = packets;
    flow.bytes = packets * kPacketBytes;
    flow.slot = static_cast<std::uint32_t>(flows.size() - 1);
    FlowBranch branch;
    for (const std::uint32_t port : inputs) branch.inputs.push_back(static_cast<PortId>(port));
    for (const std::uint32_t port : outputs) branch.outputs.push_back(static_cast<PortId>(port));
    for (std::uint32_t i = 1; i < inputs.size(); ++i) branch.order.push_back({0, i});
    at->flows()->open(flow, branch, std::vector<std::uint64_t>(outputs.size(), link.flow_credit_bytes));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (std::uint64_t k = 0; k < packets; ++k) {
        Packet packet;
        packet.flow = &flow;
        packet.sequence = k;
        packet.traffic_class = id;
        packet.vc = classes.flow_vc(id);
        packet.payload_bytes = packet.wire_bytes = kPacketBytes;
        packet.created_ps = at_ps[i];
        sources[inputs[i]]->add(packet);
      }
  }
  void add_message(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs at_ps,
                   std::uint32_t bytes) {
    Packet packet;
    packet.source = static_cast<NpuId>(from);
    packet.destination = static_cast<NpuId>(to);
    packet.sequence = sequence;
    packet.payload_bytes = packet.wire_bytes = bytes;
    packet.created_ps = at_ps;
    sources[from]->add(packet);
  }
  void run() {
    scheduler.run();
    view->finish();
    if (view->scoreboard()) std::printf("%s", view->scoreboard()->report().c_str());
  }
};

TEST_F(FredView, MessagesAreEqual) {
  build(RtlViewMode::both);
  for (std::uint32_t i = 0; i < 24; ++i)
    add_message(i % kPorts, (i * 5 + 3) % kPorts, i, 200'000 * (i + 1), 8 * (i + 1));
  run();
  const RtlScoreboard& board = *view->scoreboard();
  EXPECT_TRUE(board.passed());
  EXPECT_EQ(board.compared(), 24U);
  for (const auto& [cycles, packets] : board.latency_histogram())
    EXPECT_TRUE(cycles == 0 || cycles == 1) << cycles;
}

TEST_F(FredView, FlowsUpAndDownAreEqual) {
  tolerance = 1;
  build(RtlViewMode::both);
  add_flow({0, 1, 2, 3}, {4}, ClassId{0}, 20, {50'000, 50'000, 50'000, 300'000});  // the last one is late
  add_flow({4}, {0, 1, 2, 3}, ClassId{0}, 20, {400'000});
  add_flow({8, 9}, {8, 9, 10}, ClassId{1}, 10, {100'000, 150'000}, DataType::bf16);
  run();
  const RtlScoreboard& board = *view->scoreboard();
  EXPECT_TRUE(board.passed());
  EXPECT_EQ(board.compared(), 20U + 80U + 30U);
  EXPECT_EQ(board.compared_data(), board.compared());
  EXPECT_EQ(board.latency_histogram(), (std::map<std::int64_t, std::uint64_t>{{0, 130}}));
  EXPECT_EQ(branches_done, 3U);
}

TEST_F(FredView, InPlaceFlowsPass) {
  build(RtlViewMode::rtl);
  add_flow({0, 1, 2, 3}, {4}, ClassId{0}, 20, {50'000, 50'000, 50'000, 300'000});
  add_flow({4}, {0, 1, 2, 3}, ClassId{0}, 20, {400'000});
  for (std::uint32_t i = 0; i < 25; ++i) add_message(5 + i % 3, 9, i, 60'000, kPacketBytes);
  run();
  EXPECT_EQ(sinks[4]->arrivals().size(), 20U);
  for (std::uint32_t port = 0; port < 4; ++port) EXPECT_EQ(sinks[port]->arrivals().size(), 20U);
  EXPECT_EQ(sinks[9]->arrivals().size(), 25U);
  EXPECT_EQ(branches_done, 2U);
  view->require_rest();
}

}  // namespace
}  // namespace wafertlm
