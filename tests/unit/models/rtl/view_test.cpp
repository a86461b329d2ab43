// SPDX-License-Identifier: Apache-2.0
// An RTL view at a switch with nothing around it but sources and sinks; the RTL is a delay line in C++.
#include "models/rtl/rtl_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/support/fabric_ends.h"
#include "tests/support/refusal.h"
#include "tests/support/soft_rtl.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

struct ToItsDestination final : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

/// Three ports of a flit of 8 B in each ns, behind links of 20 ns; 3 cycles through the switch.
class RtlViewAlone : public testing::Test, private FlowListener {
 protected:
  ClassTable classes{{{"data", 0, 1, 5}}, 1, true};
  PacketPool pool;
  Scheduler scheduler{"scheduler"};
  ToItsDestination routes;
  OutputParams link{8'000'000'000, 20'000, 512, 256, 256};
  RtlDesign design = delay_line();
  test::SoftRtl pins{design};
  test::DelayLine module{design, pins};
  RtlViewParams params;
  std::unique_ptr<SwitchModule> at;
  std::unique_ptr<RtlView> view;
  std::vector<std::unique_ptr<FabricSource>> sources;
  std::vector<std::unique_ptr<FabricSink>> sinks;
  Flow flow;
  TimePs branch_done_ps = 0;

  static RtlDesign delay_line() {
    RtlDesign made;
    made.name = "line";
    made.protocol = RtlProtocol::credit_stream;
    made.ports = 3;
    made.flit_bits = 64;
    made.channels = 2;
    made.depth = made.out_depth = 32;
    made.latency = 3;
    made.flows = 4;
    return made;
  }
  void build(RtlViewMode mode) {
    SwitchParams made;
    made.pipeline_ps = 3000;
    made.input_queue = InputQueue::fifo;
    made.credit_delay_ps.assign(3, 22'000);
    made.outputs.assign(3, link);
    made.flow_lanes = 8;
    const std::vector<std::string> names{"0", "1", "2"};
    at = std::make_unique<SwitchModule>("router", made, names, names, classes, routes, scheduler);
    at->enable_flows(pool, *this);
    for (std::size_t port = 0; port < 3; ++port) {
      sources.push_back(
          std::make_unique<FabricSource>(("source" + names[port]).c_str(), link, classes, scheduler));
      sinks.push_back(std::make_unique<FabricSink>(("sink" + names[port]).c_str(),
                                                   FabricSink::Credit::announced, scheduler));
      sources[port]->socket.bind(at->input(static_cast<PortId>(port)));
      at->output(static_cast<PortId>(port)).bind(sinks[port]->socket);
    }
    params.mode = mode;
    params.design = &design;
    params.flit_bytes = 8;
    params.outputs = made.outputs;
    params.channels = classes.virtual_channels();
    params.flow_branches = 4;
    look();
  }
  void look() { view = std::make_unique<RtlView>(*at, scheduler, pool, classes, &pins, params); }
  /// Two inputs, one output and two packets, of which the last is short.
  void open_flow(const std::vector<std::uint32_t>& outputs = {1}, std::uint64_t credit_bytes = 256) {
    flow.packets = 2;
    flow.bytes = 44;
    FlowBranch branch;
    branch.inputs = {PortId{0}, PortId{2}};
    for (const std::uint32_t port : outputs) branch.outputs.push_back(static_cast<PortId>(port));
    branch.order = {{0, 1}};
    at->flows()->open(flow, branch, std::vector<std::uint64_t>(outputs.size(), credit_bytes));
    // What comes to input 2 is as good as the sum.
    module.outputs_of = [outputs](const RtlHeader& header, std::uint32_t input) {
      if (RtlEntry::is_message(header.flow)) return std::vector<std::uint32_t>{header.flow & 0xff};
      return input == 2 ? outputs : std::vector<std::uint32_t>();
    };
    for (const std::uint32_t port : {0U, 2U})
      for (std::uint64_t k = 0; k < 2; ++k) {
        Packet packet;
        packet.flow = &flow;
        packet.sequence = k;
        packet.vc = classes.flow_vc(flow.traffic_class);
        packet.payload_bytes = packet.wire_bytes = k == 0 ? 24 : 20;
        packet.wire_bytes = 24;
        packet.created_ps = 50'000 + 10'000 * port;
        sources[port]->add(packet);
      }
  }
  void add_message(std::uint32_t from, std::uint32_t to, TimePs at_ps, std::uint32_t bytes,
                   bool with_values = false) {
    Packet packet;
    packet.source = static_cast<NpuId>(from);
    packet.destination = static_cast<NpuId>(to);
    packet.payload_bytes = bytes;
    packet.wire_bytes = std::max(8U, (bytes + 7) / 8 * 8);
    packet.created_ps = at_ps;
    if (with_values) packet.data = std::vector<std::byte>(bytes, std::byte{0x5a});
    sources[from]->add(packet);
  }
  std::string refusal() {
    return test::refusal_of([this] { look(); });
  }

 private:
  void branch_done(const Flow&, TimePs at_ps) override { branch_done_ps = at_ps; }
};

// A model and its RTL have the same ports, channels and speed.
TEST_F(RtlViewAlone, RefusesDesignsThatDoNotFit) {
  build(RtlViewMode::tlm);
  const std::string start = "the RTL design 'line' does not fit the switch router: ";
  design.ports = 2;
  EXPECT_EQ(refusal(), start + "it has P=2 ports, the switch 3");
  design.ports = 3;
  design.channels = 1;
  EXPECT_EQ(refusal(),
            start +
                "it has VC=1 virtual channels, the links of the fabric have 2, those of in-network "
                "flows included");
  design.channels = 2;
  // A thousandth of the link's rate is allowed.
  for (const auto& [hz, fits] : std::vector<std::pair<std::uint64_t, bool>>{
           {1'001'000'000, true}, {1'001'000'001, false}, {999'000'000, true}, {998'999'999, false}}) {
    params.clock.hz = hz;
    EXPECT_EQ(refusal(),
              fits ? ""
                   : start + "its ports carry flit x clock = 8 B x " + std::to_string(hz) +
                         " Hz = " + std::to_string(8 * hz) +
                         " B/s, and a link behind the switch 8000000000 B/s: a clock of 1000000000 Hz "
                         "fits");
  }
  params.clock.hz = 1'000'000'000;
  design.flows = 0;
  EXPECT_EQ(refusal(), "");
  params.mode = RtlViewMode::both;
  EXPECT_EQ(refusal(),
            "the RTL design 'line' carries no in-network flows (it has no parameter FLOWS), and the switch "
            "router does: in_network: false, or another design");
}

// In flits of 8 B: 512 B behind an output, or its flows' 256 B. A head comes 20 ns after it left its source,
// a sum leaves 3 ns after the last input came, and its room is free when the tail is at the sink, 3 ns behind
// the head. Flow 53250 is 0xd002: a message of priority 5 to output 2.
TEST_F(RtlViewAlone, RecordsWhatHappensAtTheSwitch) {
  const test::TempFolder folder;
  params.recording = folder.path() + "/rec";
  params.tolerance = 5;
  build(RtlViewMode::tlm);
  EXPECT_EQ(view->switch_name(), "router");
  open_flow();
  add_message(1, 2, 100'000, 17);
  add_message(1, 0, 200'000, 3, true);
  scheduler.run();
  view->finish();
  EXPECT_EQ(view->packets(), 6U);
  EXPECT_EQ(view->cycles(), 0U);
  EXPECT_EQ(view->scoreboard(), nullptr);
  EXPECT_NE(branch_done_ps, 0U);
  EXPECT_EQ(
      test::read_text(params.recording),
      "wafertlm-rtl-recording 2\n"
      "switch router ports 3 channels 2 flit_bytes 8 clock_hz 1000000000 tolerance 5\n"
      "model pipeline_ps 0 link_bytes_per_s 0 flit_bytes 0 payload_bytes 0 wire_bytes 0 input_bytes 0 queue "
      "per_output credit_delay_ps 0 start_interval_ps 0\n"
      "rooms 64 32 64 32 64 32\n"
      "open 0 0 1 5 int32 0 2 0 inputs 2 0 2 outputs 1 1 order 1 0 1\n"
      "arrive 50000 0 1 0 0 24 3 70000 73000 from 0 - 0 0 0\n"
      "arrive 53000 0 1 0 1 20 3 73000 76000 from 0 - 0 0 1\n"
      "arrive 70000 2 1 0 0 24 3 90000 93000 from 0 - 0 0 0\n"
      "arrive 73000 2 1 0 1 20 3 93000 96000 from 0 - 0 0 1\n"
      "leave 93000 1 1 0 0 24 93000 96000\ncredit 93000 1 1 3 116000\n"
      "leave 96000 1 1 0 1 20 96000 99000\ncredit 96000 1 1 3 119000\n"
      "arrive 100000 1 0 53250 0 17 3 120000 123000 from 1 2 0 0 0\n"
      "leave 123000 2 0 53250 0 17 123000 126000\ncredit 123000 2 0 3 146000\n"
      "arrive 200000 1 0 53248 0 3 1 220000 221000 from 1 0 0 0 0 5a5a5a\n"
      "leave 223000 0 0 53248 0 3 223000 224000 5a5a5a\ncredit 223000 0 0 1 244000\n");
}

// The head leaves 3 ns after it came, and is at the other end 20 ns later; an edge is worked off a picosecond
// later.
TEST_F(RtlViewAlone, InPlaceItCarriesThePackets) {
  build(RtlViewMode::rtl);
  open_flow();
  add_message(1, 2, 100'000, 17);
  scheduler.run();
  view->finish();
  view->require_rest();
  ASSERT_EQ(sinks[2]->arrivals().size(), 1U);
  EXPECT_EQ(sinks[2]->arrivals()[0].head_ps, 100'000U + 20'000 + 3001 + 20'000);
  EXPECT_EQ(sinks[2]->arrivals()[0].tail_ps, 100'000U + 20'000 + 3001 + 20'000 + 3000);
  ASSERT_EQ(sinks[1]->arrivals().size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(sinks[1]->arrivals()[k].sequence, k);
    EXPECT_EQ(sinks[1]->arrivals()[k].payload_bytes, k == 0 ? 24U : 20U);
    EXPECT_EQ(sinks[1]->arrivals()[k].head_ps, 70'000U + 20'000 + 3000 * k + 3001 + 20'000);
  }
  // The room behind the output is free when the tail is there, that of the inputs 22 ns after it has left.
  EXPECT_EQ(branch_done_ps, sinks[1]->arrivals()[1].tail_ps + 2000);
}

// Each output has its copy; the branch is done when the room behind all of them is free, and that of the
// inputs.
TEST_F(RtlViewAlone, InPlaceItCarriesCopies) {
  build(RtlViewMode::rtl);
  open_flow({0, 1});
  scheduler.run();
  view->finish();
  view->require_rest();
  for (const std::size_t port : {0U, 1U}) {
    ASSERT_EQ(sinks[port]->arrivals().size(), 2U);
    EXPECT_EQ(sinks[port]->arrivals()[1].head_ps, 70'000U + 20'000 + 3000 + 3001 + 20'000);
  }
  EXPECT_EQ(sinks[2]->arrivals().size(), 0U);
  EXPECT_EQ(branch_done_ps, sinks[1]->arrivals()[1].tail_ps + 2000);
}

// Room for one packet behind the output: the second one leaves when the tail of the first one is at the sink,
// and goes in 3 cycles before.
TEST_F(RtlViewAlone, InPlaceAFlowWaitsForItsRoom) {
  build(RtlViewMode::rtl);
  open_flow({1}, 24);
  scheduler.run();
  view->finish();
  ASSERT_EQ(sinks[1]->arrivals().size(), 2U);
  const FabricSink::Arrival &first = sinks[1]->arrivals()[0], &second = sinks[1]->arrivals()[1];
  EXPECT_EQ(first.head_ps, 70'000U + 20'000 + 3001 + 20'000);
  EXPECT_EQ(first.tail_ps, first.head_ps + 3000);
  EXPECT_EQ(second.head_ps, first.tail_ps + 20'000);
}

// A recording for a design to come: its flits are of 16 B, and the ports are those of the switch.
TEST_F(RtlViewAlone, RecordsWithoutADesign) {
  const test::TempFolder folder;
  params.recording = folder.path() + "/rec";
  params.name = "r0";
  build(RtlViewMode::tlm);
  params.design = nullptr;
  params.flit_bytes = 16;
  look();
  add_message(1, 2, 100'000, 17);
  add_message(0, 1, 200'000, 0);
  scheduler.run();
  view->finish();
  EXPECT_EQ(
      test::read_text(params.recording),
      "wafertlm-rtl-recording 2\n"
      "switch r0 ports 3 channels 2 flit_bytes 16 clock_hz 1000000000 tolerance 1\n"
      "model pipeline_ps 0 link_bytes_per_s 0 flit_bytes 0 payload_bytes 0 wire_bytes 0 input_bytes 0 queue "
      "per_output credit_delay_ps 0 start_interval_ps 0\n"
      "rooms 32 16 32 16 32 16\n"
      "arrive 100000 1 0 53250 0 17 2 120000 123000 from 1 2 0 0 0\n"
      "leave 123000 2 0 53250 0 17 123000 126000\ncredit 123000 2 0 2 146000\n"
      "arrive 200000 0 0 53249 0 0 1 220000 221000 from 0 1 0 0 0\n"
      "leave 223000 1 0 53249 0 0 223000 224000\ncredit 223000 1 0 1 244000\n");
}

TEST_F(RtlViewAlone, BesideTheModelItIsCompared) {
  params.name = "r";
  build(RtlViewMode::both);
  add_message(1, 2, 100'000, 17);
  add_message(0, 1, 100'500, 8);
  scheduler.run();
  view->finish();
  const RtlScoreboard& board = *view->scoreboard();
  EXPECT_EQ(board.options().switch_name, "r");
  EXPECT_TRUE(board.passed()) << board.report();
  EXPECT_EQ(board.compared_data(), 2U);
  EXPECT_EQ(board.largest_difference_ps(), 500);  // to the next edge
  EXPECT_EQ(sinks[2]->arrivals().size(), 1U);
  view->require_rest();
  EXPECT_GT(view->cycles(), 10U);
}

TEST_F(RtlViewAlone, WhatStaysInTheRtlIsNamed) {
  build(RtlViewMode::rtl);
  module.is_held = [](std::uint32_t input) { return input == 1; };
  add_message(1, 2, 100'000, 17);
  add_message(0, 1, 100'000, 8);
  scheduler.run();
  view->finish();
  EXPECT_EQ(test::refusal_of<std::runtime_error>([this] { view->require_rest(); }),
            "packets are still in the RTL of router:\n"
            "  entry 53250, sequence 0: has not left output 2");
}

// The second of two flits has a bit wrong.
TEST_F(RtlViewAlone, InPlaceWrongDataAreFound) {
  build(RtlViewMode::rtl);
  module.spoil = [](RtlFlit& flit) {
    if (!flit.head) flit.data[1] ^= 0x100;
  };
  add_message(1, 2, 100'000, 16);
  add_message(0, 1, 100'000, 8);
  add_message(1, 2, 200'000, 16, true);
  scheduler.run();
  view->finish();
  view->require_rest();
  const RtlScoreboard& board = *view->scoreboard();
  EXPECT_EQ(board.compared_data(), 3U);
  EXPECT_EQ(board.divergences(), 2U);
  EXPECT_EQ(board.divergences(RtlDivergenceKind::data), 2U);
  EXPECT_EQ(board.first_divergence()->output, 2U);
  EXPECT_EQ(board.first_divergence()->flow, 0xd002U);
  EXPECT_EQ(board.first_divergence()->sequence, 0U);
  EXPECT_NE(board.report().find("data of 3 compared with what came in"), std::string::npos) << board.report();
}

TEST_F(RtlViewAlone, InPlaceABrokenRuleEndsTheRun) {
  build(RtlViewMode::rtl);
  module.outputs_of = [](const RtlHeader&, std::uint32_t) { return std::vector<std::uint32_t>{0}; };
  add_message(1, 2, 100'000, 17);
  EXPECT_EQ(
      test::refusal_of<std::runtime_error>([this] { scheduler.run(); }),
      "the pins of the RTL broke a rule: protocol at 123000 ps, router, output 0, flow 53250, sequence 0: a "
      "packet leaves where its flow goes; seen: a packet to output 2");
  EXPECT_EQ(view->scoreboard()->divergences(RtlDivergenceKind::protocol), 1U);
  EXPECT_EQ(view->scoreboard()->first_divergence()->at_ps, 123'000U);
}

}  // namespace
}  // namespace wafertlm
