// SPDX-License-Identifier: Apache-2.0
// The links of fabrics: their names, which of them end at an endpoint, and the room behind each, which is
// bandwidth x (latency + the switch behind it + credit) and some packets of 1024 B on the wire.
#include <gtest/gtest.h>

#include <map>

#include "models/dimensional/dimensional_switches.h"
#include "models/fred/fred_fabric.h"
#include "models/fred/physical/chip_fabric.h"
#include "models/graph/graph_fabric.h"
#include "models/mesh/mesh_fabric.h"
#include "tests/support/fabric_ends.h"
#include "tests/support/refusal.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Lines = std::vector<std::string>;
constexpr std::uint64_t kBytePerPs = 1'000'000'000'000;

struct FabricLinks : testing::Test {
  ClassTable classes{{{"data", 0, 2, 0}}, 2};
  Scheduler scheduler{"scheduler"};
  PacketPool packets;

  template <typename Params>
  static Params with_format(Params params) {
    params.format.packet_bytes = 1000;
    params.format.header_bytes = 24;
    params.credit_delay_ps = 900;
    params.link_latency_ps = 11'000;
    return params;
  }
  static std::string text_of(const OutputParams& link) {
    return say(link.bytes_per_s / kBytePerPs, " B/ps, ", link.latency_ps, " ps, ", link.buffer_bytes, " B");
  }
  static Lines lines_of(Fabric& fabric) {
    Lines lines;
    for (const FabricLink& each : fabric.links())
      lines.push_back(say(each.name, ": ",
                          text_of(fabric.switch_module(each.from).output_params()[index_of(each.output)]),
                          each.exit ? ", exit" : ""));
    return lines;
  }
};

TEST_F(FabricLinks, OfAMesh) {
  MeshParams params = with_format(MeshParams());
  params.width = 2;
  params.height = 1;
  params.link_bytes_per_s = 2 * kBytePerPs;
  params.router_pipeline_ps = 1700;
  params.injection_bytes_per_s = 3 * kBytePerPs;
  params.injection_latency_ps = 200;
  params.injection_streams = 2;
  params.ejection_bytes_per_s = 5 * kBytePerPs;
  params.ejection_latency_ps = 300;
  params.io = {{NpuId{0}, Side::west}};
  params.io_bytes_per_s = 7 * kBytePerPs;
  params.io_latency_ps = 4000;
  MeshFabric mesh("mesh", params, classes, scheduler);
  const std::string across = say("2 B/ps, 11000 ps, ", 2 * (11'000 + 1700 + 900) + 3 * 1024, " B"),
                    down = say("5 B/ps, 300 ps, ", 5 * (300 + 900) + 2 * 1024, " B, exit");
  EXPECT_EQ(lines_of(mesh),
            (Lines{"router0->router1: " + across, "router0->npu0: " + down,
                   say("router0->io0: 7 B/ps, 4000 ps, ", 7 * (4000 + 900) + 2 * 1024, " B, exit"),
                   "router1->router0: " + across, "router1->npu1: " + down}));
  EXPECT_EQ(text_of(mesh.injection_link()),
            say("3 B/ps, 200 ps, ", 3 * (200 + 1700 + 900) + 4 * 1024, " B"));  // two streams and two packets
  EXPECT_EQ(mesh.injection_link().round_trip_bytes, 3U * (200 + 1700 + 900));
  EXPECT_EQ(text_of(mesh.io_link()), say("7 B/ps, 4000 ps, ", 7 * (4000 + 1700 + 900) + 2 * 1024, " B"));
  EXPECT_EQ(mesh.lookahead_ps(), 900U);
}

struct SeenPackets final : LinkObserver {
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override {
    seen.push_back(say(observed, " output ", index_of(output), ": ", packet.wire_bytes, " B, ", start_ps,
                       " to ", end_ps));
  }
  Lines seen;
};

// 1024 B from NPU 0 to 1, at 2 B/ps from router to router and 1 B/ps to and from an NPU: the head is in
// router 0 after 100 ps, in router 1 after 3000 more. Outputs are east or west first, then the NPU.
TEST_F(FabricLinks, AreObservedSwitchBySwitch) {
  MeshParams params = with_format(MeshParams());
  params.width = 2;
  params.height = 1;
  params.link_bytes_per_s = 2 * kBytePerPs;
  params.link_latency_ps = 3000;
  params.router_pipeline_ps = 70;
  params.injection_bytes_per_s = params.ejection_bytes_per_s = kBytePerPs;
  params.injection_latency_ps = 100;
  MeshFabric mesh("mesh", params, classes, scheduler);
  SeenPackets observer;
  mesh.observe(observer);
  FabricSource source("source", mesh.injection_link(), classes, scheduler),
      other("other", mesh.injection_link(), classes, scheduler);
  FabricSink sink("sink", FabricSink::Credit::announced, scheduler),
      sink_0("sink_0", FabricSink::Credit::announced, scheduler);
  mesh.attach(NpuId{0}, source.socket, sink_0.socket);
  mesh.attach(NpuId{1}, other.socket, sink.socket);
  Packet packet;
  packet.destination = NpuId{1};
  packet.payload_bytes = 1000;
  packet.wire_bytes = 1024;
  packet.created_ps = 5000;
  source.add(packet);
  scheduler.run();
  EXPECT_EQ(observer.seen, (Lines{"0 output 0: 1024 B, 5170 to 5682", "1 output 1: 1024 B, 8240 to 9264"}));
  EXPECT_EQ(mesh.packet_hops(), 2U);
  EXPECT_EQ(mesh.queued_packets(), 0U);
  EXPECT_EQ(mesh.outstanding_credits(), 0U);
  EXPECT_EQ(mesh.spoiled_packets(), 0U);
  EXPECT_EQ(sink.arrivals().size(), 1U);
}

TEST_F(FabricLinks, HoldWhatIsSent) {
  int number = 0;
  const auto refusal = [&](auto change) {
    MeshParams params;
    params.width = 2;
    params.height = 1;
    params.link_bytes_per_s = kBytePerPs;
    params.link_latency_ps = 10;
    params.router_pipeline_ps = 10;
    params.format.packet_bytes = 1000;
    params.format.header_bytes = 24;
    change(params);
    return test::refusal_of([&] { MeshFabric(say("mesh", number++).c_str(), params, classes, scheduler); });
  };
  using P = MeshParams;
  const auto flits = [](P& params, std::uint64_t buffer_bytes, std::uint32_t flit_bytes) {
    params.format.by_flit = true;
    params.format.flit_bytes = flit_bytes;
    params.buffer_bytes = buffer_bytes;
  };
  const std::string large = "wormhole switching needs flits that are larger than a header";
  EXPECT_EQ(refusal([](P& p) { p.buffer_bytes = 2048; }), "");
  EXPECT_EQ(refusal([](P& p) { p.buffer_bytes = 2047; }),
            "a packet of 1024 B on the wire needs an input buffer of at least twice its size; it is 2047 B");
  EXPECT_EQ(refusal([](P& p) { p.buffer_bytes = 0; }), "");
  EXPECT_EQ(refusal([&](P& p) { flits(p, 64, 64); }), "");
  EXPECT_EQ(refusal([&](P& p) { flits(p, 63, 64); }), "an input buffer of 63 B does not hold a flit of 64 B");
  EXPECT_EQ(refusal([&](P& p) { flits(p, 0, 64); }), "");
  EXPECT_EQ(refusal([&](P& p) { flits(p, 64, 24); }), large);
  EXPECT_EQ(refusal([&](P& p) { flits(p, 64, 25); }), "");
  EXPECT_EQ(refusal([](P& p) { p.width = 0; }), "a mesh needs at least one column and one row");
  EXPECT_EQ(refusal([](P& p) { p.height = 0; }), "a mesh needs at least one column and one row");
  const std::string streams = "a port carries at least one stream: injection_ or ejection_streams is 0";
  EXPECT_EQ(refusal([](P& p) { p.injection_streams = 0; }), streams);
  EXPECT_EQ(refusal([](P& p) { p.ejection_streams = 0; }), streams);
  EXPECT_EQ(refusal([](P& p) { p.io = {{NpuId{0}, Side::west}}; }), "I/O controllers need a bandwidth");
  EXPECT_EQ(refusal([](P& p) { p.link_latency_ps = p.router_pipeline_ps = 0; }),
            "link latency and router pipeline are both 0: a hop must take at least 1 ps");
  EXPECT_EQ(refusal([](P& p) { p.link_latency_ps = 0, p.router_pipeline_ps = 1; }), "");
  EXPECT_EQ(refusal([](P& p) { p.link_latency_ps = 1, p.router_pipeline_ps = 0; }), "");
}

// Stages of 100 ps: an L1 switch of two NPUs, two ports up and a controller has five ports, an L2 switch
// four.
TEST_F(FabricLinks, OfAFredWafer) {
  FredParams params = with_format(FredParams());
  params.geometry = {2, 2, 1, {0}};
  params.npu_bytes_per_s = 2 * kBytePerPs;
  params.l1_uplink_bytes_per_s = 4 * kBytePerPs;
  params.stage_latency_ps = 100;
  params.io_bytes_per_s = 7 * kBytePerPs;
  params.io_latency_ps = 4000;
  FredFabric fred("fred", params, classes, scheduler, packets);
  const TimePs l1_ps = 100 * FredNetwork::stages(5), l2_ps = 100 * FredNetwork::stages(4);
  const std::string down = say("2 B/ps, 11000 ps, ", 2 * (11'000 + 900) + 2 * 1024, " B, exit"),
                    up = say("4 B/ps, 11000 ps, ", 4 * (11'000 + l2_ps + 900) + 4 * 1024, " B"),
                    below = say("4 B/ps, 11000 ps, ", 4 * (11'000 + l1_ps + 900) + 4 * 1024, " B");
  EXPECT_EQ(lines_of(fred),
            (Lines{"l1_0->npu0: " + down, "l1_0->npu1: " + down, "l1_0->l2_0: " + up,
                   say("l1_0->io0: 7 B/ps, 4000 ps, ", 7 * (4000 + 900) + 8 * 1024, " B, exit"),
                   "l1_1->npu2: " + down, "l1_1->npu3: " + down, "l1_1->l2_0: " + up, "l2_0->l1_0: " + below,
                   "l2_0->l1_1: " + below}));
  // Three windows, to NPUs below, up and to controllers, with four packets in hand each.
  const std::uint64_t window = 2 * (11'000 + l1_ps + 900) + 2 * 1024 + 4 * 1024;
  EXPECT_EQ(text_of(fred.injection_link()), say("2 B/ps, 11000 ps, ", 3 * window, " B"));
  EXPECT_EQ(fred.injection_link().round_trip_bytes, 2U * (11'000 + l1_ps + 900));
  EXPECT_EQ(text_of(fred.io_link()), say("7 B/ps, 4000 ps, ", 7 * (4000 + l1_ps + 900) + 8 * 1024, " B"));
}

// Two chips of an L1 switch of an NPU, with an L2 chip each: FRED(2) chips, a stage.
TEST_F(FabricLinks, OfFredChips) {
  FredParams params = with_format(FredParams());
  params.geometry = {2, 1, 1, {}};
  params.view = FredView::physical;
  params.chips = {3 * kBytePerPs, 2, 1, 1, {}};
  params.npu_bytes_per_s = 6 * kBytePerPs;
  params.l1_uplink_bytes_per_s = kBytePerPs;
  params.stage_latency_ps = 100;
  FredChipFabric chips("chips", params, classes, scheduler, packets);
  const std::string to_ports = say("_ports: 3 B/ps, 11000 ps, ", 3 * (11'000 + 900) + 8 * 1024, " B, exit"),
                    to_chip = say(": 3 B/ps, 11000 ps, ", 3 * (11'000 + 100 + 900) + 8 * 1024, " B");
  Lines expected;
  for (std::uint32_t l1 = 0; l1 < 2; ++l1)
    for (std::uint32_t chip = 0; chip < 2; ++chip) {
      expected.push_back(say("l1_", l1, "_", chip, "->npu", l1, to_ports));
      expected.push_back(say("l1_", l1, "_", chip, "->l2_", chip, "_0", to_chip));
    }
  for (std::uint32_t chip = 0; chip < 2; ++chip)
    for (std::uint32_t l1 = 0; l1 < 2; ++l1)
      expected.push_back(say("l2_", chip, "->l1_", l1, "_", chip, "_0", to_chip));
  for (std::uint32_t npu = 0; npu < 2; ++npu)
    for (std::uint32_t chip = 0; chip < 2; ++chip)
      expected.push_back(say("npu", npu, "_ports->l1_", npu, "_", chip, to_chip, ", exit"));
  EXPECT_EQ(lines_of(chips), expected);
  // Behind the chips come the endpoints' ports, whose input from the endpoint is no link.
  for (std::size_t ports = 4 + 2; ports < chips.switches(); ++ports) {
    EXPECT_EQ(chips.switch_module(ports).credit_delay_ps(PortId{0}), 0U);
    EXPECT_EQ(chips.switch_module(ports).credit_delay_ps(PortId{1}), 900U);
  }
}

// For flows a round trip and two packets, of each way that goes over the link: chips have two ports up.
TEST_F(FabricLinks, OfFredChipsHaveRoomForFlows) {
  const ClassTable with_flows{{{"data", 0, 1, 0}}, 1, true};
  FredParams params = with_format(FredParams());
  params.geometry = {2, 1, 1, {}};
  params.view = FredView::physical;
  params.chips = {3 * kBytePerPs, 2, 2, 2, {}};
  params.npu_bytes_per_s = 6 * kBytePerPs;
  params.l1_uplink_bytes_per_s = kBytePerPs;
  params.stage_latency_ps = 100;
  params.in_network = true;
  FredChipFabric chips("chips", params, with_flows, scheduler, packets);
  const TimePs l1_ps = 100 * FredNetwork::stages(3), l2_ps = 100 * FredNetwork::stages(4);
  std::map<std::string, std::uint64_t> credits;
  for (const FabricLink& each : chips.links())
    credits[each.name] =
        chips.switch_module(each.from).output_params()[index_of(each.output)].flow_credit_bytes;
  EXPECT_EQ(credits.at("l1_0_0->l2_0_1"), 3 * (11'000 + l2_ps + 900) + 2 * 1024);
  EXPECT_EQ(credits.at("l2_1->l1_1_1_0"), 3 * (11'000 + l1_ps + 900) + 2 * 1024);
  EXPECT_EQ(credits.at("npu0_ports->l1_0_1"), 3 * (11'000 + l1_ps + 900) + 2 * 2 * 1024);
  EXPECT_EQ(credits.at("l1_1_0->npu1_ports"), 3 * (11'000 + 900) + 2 * 2 * 1024);
}

// A ring of three and switches of two.
TEST_F(FabricLinks, OfDimensions) {
  using Kind = FabricDimension::Kind;
  DimensionalParams params = with_format(DimensionalParams());
  params.dimensions =
      Dimensions({{Kind::ring, 3, 2 * kBytePerPs, 5000}, {Kind::switched, 2, 3 * kBytePerPs, 700}});
  params.other_links = {{NpuId{4}, 1, 4 * kBytePerPs, 600}};
  DimensionalSwitches fabric("fabric", params, classes, scheduler, nullptr, false);
  Lines expected;
  for (std::uint32_t n = 0; n < 6; ++n) {
    const std::string node = say("node", n), at_switch = say("switch", n % 3);
    const std::string ring = say(": 2 B/ps, 5000 ps, ", 2 * (5000 + 900) + 3 * 1024, " B"),
                      across = n == 4 ? say(": 4 B/ps, 600 ps, ", 4 * (600 + 900) + 3 * 1024, " B")
                                      : say(": 3 B/ps, 700 ps, ", 3 * (700 + 900) + 3 * 1024, " B");
    expected.push_back(say(node, "->node", n / 3 * 3 + (n + 1) % 3, ".d0_next", ring));
    expected.push_back(say(node, "->node", n / 3 * 3 + (n + 2) % 3, ".d0_previous", ring));
    expected.push_back(node + "->" + at_switch + across);
    expected.push_back(at_switch + "->" + node + across);
  }
  const std::string no_wire = ": 9007 B/ps, 0 ps, 1152921504606846976 B, exit";  // always accepts
  for (std::uint32_t n = 0; n < 6; ++n) expected.push_back(say("node", n, "->npu", n, no_wire));
  EXPECT_EQ(lines_of(fabric), expected);
  EXPECT_EQ(fabric.lookahead_ps(), 600U);
}

// NPUs 0 and 1 hang on the switch s, NPU 2 is joined to s and to t, on which NPU 3 hangs.
TEST_F(FabricLinks, OfAGraph) {
  GraphParams params = with_format(GraphParams());
  std::vector<FabricGraph::Link> links;
  const auto join = [&](std::uint32_t a, std::uint32_t b, std::uint64_t rate, TimePs latency_ps) {
    links.push_back({a, b, rate * kBytePerPs, latency_ps, 0, false});
    links.push_back({b, a, rate * kBytePerPs, latency_ps + 1, 0, false});
  };
  join(0, 4, 6, 100);
  join(1, 4, 2, 200);
  join(2, 4, 3, 300);
  join(2, 5, 4, 400);
  join(3, 5, 5, 500);
  links[6].credit_delay_ps = 400;  // from c to t over a cable: back as long as there
  params.graph = std::make_shared<FabricGraph>(
      4, std::vector<FabricGraph::Vertex>{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"s", 70}, {"t", 80}},
      links);
  GraphFabric graph("graph", params, classes, scheduler);
  const auto link = [](std::uint64_t rate, TimePs latency_ps, TimePs pipeline_ps, TimePs credit_ps = 900) {
    return say(rate, " B/ps, ", latency_ps, " ps, ", rate * (latency_ps + pipeline_ps + credit_ps) + 3 * 1024,
               " B");
  };
  EXPECT_EQ(lines_of(graph),
            (Lines{"s->a: " + link(6, 101, 0) + ", exit", "s->b: " + link(2, 201, 0) + ", exit",
                   "c->s: " + link(3, 300, 70), "s->c: " + link(3, 301, 0), "c->t: " + link(4, 400, 80, 400),
                   "t->c: " + link(4, 401, 0), "t->d: " + link(5, 501, 0) + ", exit",
                   "node_c->npu2: 9007 B/ps, 0 ps, 1152921504606846976 B, exit"}));
  EXPECT_EQ(text_of(graph.npu_link(NpuId{0})), link(6, 100, 70));
  EXPECT_EQ(text_of(graph.npu_link(NpuId{2})), "9007 B/ps, 0 ps, 1152921504606846976 B");
  EXPECT_FALSE(graph.injection_is_wire());
  // The fastest link behind s is 3 B/ps, but for the way back; that of NPU 1 has 2.
  EXPECT_EQ(graph.message_bytes_per_s_of(NpuId{0}), 3 * kBytePerPs);
  EXPECT_EQ(graph.message_bytes_per_s_of(NpuId{1}), 2 * kBytePerPs);
  EXPECT_EQ(graph.message_bytes_per_s_of(NpuId{2}), 0U);
  EXPECT_EQ(graph.message_bytes_per_s_of(NpuId{3}), 4 * kBytePerPs);
  EXPECT_EQ(graph.ports(NpuId{2}), 3U);
  EXPECT_EQ(graph.port_routes(NpuId{0}), nullptr);
  EXPECT_NE(graph.port_routes(NpuId{2}), nullptr);
}

TEST_F(FabricLinks, OfAGraphTakeTime) {
  GraphParams params = with_format(GraphParams());
  const auto refusal = [&](TimePs latency_ps, TimePs pipeline_ps, const std::string& name) {
    std::vector<FabricGraph::Link> links;
    for (const auto& [a, b] : {std::pair(0U, 2U), std::pair(1U, 3U), std::pair(2U, 3U)})
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
        links.push_back({from, to, kBytePerPs, a == 2 ? latency_ps : 0, 0, false});
    params.graph = std::make_shared<FabricGraph>(
        2, std::vector<FabricGraph::Vertex>{{"a", 0}, {"b", 0}, {"s", pipeline_ps}, {"t", pipeline_ps}},
        links);
    return test::refusal_of([&] { GraphFabric(name.c_str(), params, classes, scheduler); });
  };
  EXPECT_EQ(refusal(0, 0, "none"),
            "the link from s to t and t behind it take no time; one of them must take 1 ps or more");
  EXPECT_EQ(refusal(1, 0, "link"), "");
  EXPECT_EQ(refusal(0, 1, "pipeline"), "");
  params.format.by_flit = true;
  params.format.flit_bytes = 64;
  EXPECT_EQ(refusal(1, 1, "wormhole"), "a graph does not go with wormhole switching");
}

// Queues are inputs x outputs of a switch: 8000 x 8000 of each of three, and 4 x 4 of each of 24,000 nodes
// (the NPU, two links to its peers, one to the switch), of two channels.
TEST_F(FabricLinks, OfTooManyDimensionsAreRefused) {
  using Kind = FabricDimension::Kind;
  DimensionalParams params = with_format(DimensionalParams());
  const auto refusal = [&](std::vector<FabricDimension> list) {
    params.dimensions = Dimensions(std::move(list));
    return test::refusal_of([&] { DimensionalSwitches("big", params, classes, scheduler, nullptr, false); });
  };
  EXPECT_EQ(refusal({{Kind::fully_connected, 3, kBytePerPs, 1}, {Kind::switched, 8000, kBytePerPs, 1}}),
            say("these dimensions need ", 2 * (3 * 8000ULL * 8000 + 24'000 * 16),
                " queues (inputs x outputs x channels of all switches), more than the 134217728 that fit "
                "into memory: "
                "make large switches or fully connected dimensions smaller, or take fewer virtual channels"));
  EXPECT_EQ(refusal({{Kind::ring, 3, kBytePerPs, 0}}),
            "dimension 0 needs a bandwidth and a latency of 1 ps or more");
  EXPECT_EQ(refusal({{Kind::ring, 1, 0, 0}, {Kind::ring, 3, 0, 1}}),
            "dimension 1 needs a bandwidth and a latency of 1 ps or more");
}

}  // namespace
}  // namespace wafertlm
