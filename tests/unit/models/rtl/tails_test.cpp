// SPDX-License-Identifier: Apache-2.0
// Packets whose flits leave RTL in place with gaps: through RTL, a switch of the model and RTL again, behind
// links shorter than a packet.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/rtl/rtl_view.h"
#include "tests/support/fabric_ends.h"
#include "tests/support/soft_rtl.h"
#include "tlm/kernel/simulation_context.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm {
namespace {

constexpr TimePs kCycle = 1000;  // a flit of 8 B
constexpr std::uint32_t kLatency = 3;

struct Sent {
  TimePs at_ps;
  std::uint32_t flits;
};

struct TailsCase {
  std::uint64_t seed = 0;
  std::uint32_t held_of_eight = 0;  ///< of eight flits the first RTL keeps so many for a while
  TimePs link_ps = 1000, pipeline_ps = 3000;
  bool with_values = false;
  std::vector<Sent> packets;

  /// Edges for which the first RTL keeps flit `flit` of all that pass.
  std::uint32_t gap(std::uint64_t flit) const {
    const std::uint64_t drawn = splitmix64::mixed(seed ^ flit);
    return drawn % 8 < held_of_eight ? 1 + static_cast<std::uint32_t>(drawn / 8 % 3) : 0;
  }
};

struct OneWay final : RouteFunction {
  PortId output_for(const Packet&) const override { return PortId{0}; }
};

/// A switch with one way through it, in RTL or not.
struct ChainStage {
  ChainStage(const std::string& name, const TailsCase& of, const OutputParams& link,
             const ClassTable& classes, Scheduler& scheduler, PacketPool& pool, const RtlDesign* design)
      : module(name.c_str(), params(of, link), {"0"}, {"0"}, classes, routes, scheduler) {
    if (!design) return;
    pins = std::make_unique<test::SoftRtl>(*design);
    line = std::make_unique<test::DelayLine>(*design, *pins);
    RtlViewParams made;
    made.mode = RtlViewMode::rtl;
    made.design = design;
    made.flit_bytes = 8;
    made.outputs = {link};
    view = std::make_unique<RtlView>(module, scheduler, pool, classes, pins.get(), made);
  }
  static SwitchParams params(const TailsCase& of, const OutputParams& link) {
    SwitchParams made;
    made.pipeline_ps = of.pipeline_ps;
    made.credit_delay_ps = {of.link_ps};
    made.outputs = {link};
    return made;
  }
  OneWay routes;
  SwitchModule module;
  std::unique_ptr<test::SoftRtl> pins;
  std::unique_ptr<test::DelayLine> line;
  std::unique_ptr<RtlView> view;
};

std::vector<FabricSink::Arrival> arrivals_of(const TailsCase& of) {
  const SimulationContext context;
  const ClassTable classes{{{"data", 0, 1, 0}}, 1};
  PacketPool pool;
  Scheduler scheduler{"scheduler"};
  const OutputParams link{8'000'000'000, of.link_ps, 1 << 20, 0, 0};
  RtlDesign design;
  design.name = "line";
  design.protocol = RtlProtocol::credit_stream;
  design.ports = 1;
  design.flit_bits = 64;
  design.depth = design.out_depth = 1 << 17;
  design.latency = kLatency;
  FabricSource source("source", link, classes, scheduler);
  ChainStage first("first", of, link, classes, scheduler, pool, &design);
  ChainStage model("model", of, link, classes, scheduler, pool, nullptr);
  ChainStage last("last", of, link, classes, scheduler, pool, &design);
  FabricSink sink("sink", FabricSink::Credit::announced, scheduler);
  source.socket.bind(first.module.input(PortId{0}));
  first.module.output(PortId{0}).bind(model.module.input(PortId{0}));
  model.module.output(PortId{0}).bind(last.module.input(PortId{0}));
  last.module.output(PortId{0}).bind(sink.socket);
  first.line->is_held = [&of, flit = std::uint64_t{0}, waited = 0U](std::uint32_t) mutable {
    if (waited++ < of.gap(flit)) return true;
    ++flit;
    waited = 0;
    return false;
  };
  std::uint64_t sequence = 0;
  for (const Sent& each : of.packets) {
    Packet packet;
    packet.sequence = sequence++;
    packet.payload_bytes = packet.wire_bytes = each.flits * 8;
    packet.created_ps = each.at_ps;
    if (of.with_values) packet.data = std::vector<std::byte>(packet.payload_bytes, std::byte{0x5a});
    source.add(packet);
  }
  scheduler.run();
  for (const ChainStage* each : {&first, &last}) {
    each->view->finish();
    each->view->require_rest();
    EXPECT_TRUE(each->view->scoreboard()->passed()) << each->view->scoreboard()->report();
  }
  return sink.arrivals();
}

/// The edge for which something comes in time: a picosecond after it is early enough.
TimePs edge_for(TimePs at) { return (std::max(at, TimePs{1}) - 1 + kCycle - 1) / kCycle * kCycle; }

/// By hand, flit by flit, of a packet that is alone.
FabricSink::Arrival expected_of(const TailsCase& of, std::uint64_t sequence, const Sent& packet,
                                std::uint64_t first_flit) {
  // Out of the first RTL: kLatency cycles after a flit was there, or later if it is kept.
  std::vector<TimePs> flits;
  TimePs free_ps = 0;
  for (std::uint32_t i = 0; i < packet.flits; ++i) {
    const TimePs due = edge_for(packet.at_ps + of.link_ps + i * kCycle) + kLatency * kCycle;
    flits.push_back(std::max(due, free_ps) + of.gap(first_flit + i) * kCycle);
    free_ps = flits.back() + kCycle;
  }
  // Through the model, which is as fast.
  const TimePs begin = flits.front() + 1 + of.link_ps + of.pipeline_ps;
  const TimePs head = begin + of.link_ps;
  // Into the last RTL go the flits as they come, and out of it kLatency cycles later.
  const TimePs first_in = edge_for(head),
               last_in = edge_for(flits.back() + 1 + of.pipeline_ps + 2 * of.link_ps);
  return {{},
          sequence,
          packet.flits * 8,
          first_in + kLatency * kCycle + 1 + of.link_ps,
          last_in + (kLatency + 1) * kCycle + 1 + of.link_ps};
}

TEST(RtlTails, APacketAloneGoesOnAsItsFlitsGoOn) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 300; ++k) {
    TailsCase of;
    of.seed = random();
    of.held_of_eight = static_cast<std::uint32_t>(random() % 7);
    of.link_ps = 500 * (random() % 8);
    of.pipeline_ps = 100 * (random() % 50);
    for (TimePs at_ps = 1; of.packets.size() < 3; at_ps += 2'000'000 + random() % 5000)
      of.packets.push_back({at_ps, 1 + static_cast<std::uint32_t>(random() % 40)});
    const auto arrivals = arrivals_of(of);
    ASSERT_EQ(arrivals.size(), of.packets.size());
    std::uint64_t flits = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const FabricSink::Arrival right = expected_of(of, i, of.packets[i], flits);
      flits += of.packets[i].flits;
      EXPECT_EQ(arrivals[i].head_ps, right.head_ps) << k;
      EXPECT_EQ(arrivals[i].tail_ps, right.tail_ps) << k;
    }
  }
}

// Values change no time, whatever the link's latency against the packet's length.
TEST(RtlTails, ValuesChangeNoTime) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 1000; ++k) {
    TailsCase of;
    of.seed = random();
    of.held_of_eight = static_cast<std::uint32_t>(random() % 8) % 7;
    of.link_ps = 250 * (random() % 100);
    of.pipeline_ps = 100 * (random() % 50);
    TimePs at_ps = 0;
    for (std::size_t i = 1 + random() % 8; i > 0; --i) {
      of.packets.push_back({at_ps, 1 + static_cast<std::uint32_t>(random() % 24)});
      at_ps += random() % 40'000;
    }
    const auto without = arrivals_of(of);
    of.with_values = true;
    ASSERT_EQ(without.size(), of.packets.size());
    EXPECT_EQ(arrivals_of(of), without) << k;
    for (const FabricSink::Arrival& each : without)
      EXPECT_GE(each.tail_ps - each.head_ps, each.payload_bytes / 8 * kCycle);
  }
}

}  // namespace
}  // namespace wafertlm
