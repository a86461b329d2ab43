// SPDX-License-Identifier: Apache-2.0
// Two switches in a chain with a checker on every link: silent, conserved, and no picosecond different
// without.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <exception>
#include <random>
#include <string>

#include "tests/support/fabric_ends.h"
#include "tlm/fabric/checker.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {
namespace {

constexpr std::size_t kEnds = 2;
constexpr int kPackets = 400;

struct ByDestination : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};
struct OneWay : RouteFunction {
  PortId output_for(const Packet&) const override { return PortId{0}; }
};

/// Rates of a run: awkward, so that fractions matter, and slower or faster from link to link.
struct Links {
  explicit Links(std::mt19937& random) {
    const std::array<std::uint64_t, 4> rates{333'333'333'333, 750'000'000'000, 749'999'999'999,
                                             6'000'000'000'007};
    for (OutputParams* link : {&in, &middle, &out})
      *link = {rates[random() % rates.size()], random() % 3000, 1000 + random() % 2000};
  }
  OutputParams in, middle, out;
};

/// sources → switch a → switch b → sinks.
struct Chain {
  Chain(const std::string& name, const Links& links, FabricSink::Credit credit, const ClassTable& classes,
        Scheduler& scheduler, CheckerSet* checkers)
      : a((name + "_a").c_str(), {700, InputQueue::per_output, {20, 40}, {links.middle}}, {"0", "1"}, {"0"},
          classes, one_way, scheduler),
        b((name + "_b").c_str(), {0, InputQueue::fifo, {0}, {links.out, links.out}}, {"0"}, {"0", "1"},
          classes, by_destination, scheduler) {
    bind_checked(a.output(PortId{0}), b.input(PortId{0}), checkers, name + "_middle", links.middle, classes);
    for (std::size_t i = 0; i < kEnds; ++i) {
      const std::string end = std::to_string(i);
      const auto port = static_cast<PortId>(i);
      sources.emplace_back((name + "_source_" + end).c_str(), links.in, classes, scheduler);
      sinks.emplace_back((name + "_sink_" + end).c_str(), credit, scheduler);
      bind_checked(sources[i].socket, a.input(port), checkers, name + "_in_" + end, links.in, classes);
      bind_checked(b.output(port), sinks[i].socket, checkers, name + "_out_" + end, links.out, classes);
    }
  }
  OneWay one_way;
  ByDestination by_destination;
  SwitchModule a, b;
  std::deque<FabricSource> sources;
  std::deque<FabricSink> sinks;
};

Packet random_packet(std::mt19937& random, std::size_t source, std::uint64_t sequence, TimePs created_ps) {
  Packet packet;
  packet.source = static_cast<NpuId>(source);
  packet.destination = static_cast<NpuId>(random() % kEnds);
  packet.sequence = sequence;
  packet.created_ps = created_ps;
  packet.payload_bytes = static_cast<std::uint32_t>(random() % 400);
  packet.wire_bytes = (packet.payload_bytes + 16 + 7) / 8 * 8;
  packet.vc = static_cast<VcId>(random() % 3);
  packet.traffic_class = packet.vc == VcId{2} ? ClassId{1} : ClassId{0};
  return packet;
}

class FabricChain : public ::testing::TestWithParam<unsigned> {};

TEST_P(FabricChain, IsCheckedConservedAndUndisturbed) {
  std::mt19937 random(GetParam());
  const Links links(random);
  const auto credit = GetParam() % 2 ? FabricSink::Credit::announced : FabricSink::Credit::when_free;
  const ClassTable classes({{"bulk", 0, 2, 0}, {"urgent", 2, 1, 1}}, 3);
  Scheduler scheduler("scheduler");
  CheckerSet checkers;  // throws
  Chain plain("plain", links, credit, classes, scheduler, nullptr);
  Chain checked("checked", links, credit, classes, scheduler, &checkers);
  for (std::size_t source = 0; source < kEnds; ++source) {
    TimePs created = 0;
    for (int i = 0; i < kPackets; ++i) {
      if (random() % 8 == 0) created += random() % 20000;
      const Packet packet = random_packet(random, source, static_cast<std::uint64_t>(i), created);
      for (Chain* chain : {&plain, &checked}) chain->sources[source].add(packet);
    }
  }
  sc_core::sc_start();
  checkers.finish();

  for (std::size_t i = 0; i < kEnds; ++i) {
    EXPECT_EQ(checked.sources[i].sent(), static_cast<std::size_t>(kPackets));
    EXPECT_EQ(checked.sinks[i].arrivals(), plain.sinks[i].arrivals());
  }
  for (const SwitchModule* module : {&checked.a, &checked.b}) {
    EXPECT_EQ(module->core().queued(), 0U);
    EXPECT_EQ(module->core().outstanding_credits(), 0U);
  }
  const std::vector<CheckerTotals> totals = checkers.totals();
  ASSERT_EQ(totals.size(), 1 + 2 * kEnds);  // middle, then in and out of each end
  for (const auto value : {&CheckerTotals::begun, &CheckerTotals::finished, &CheckerTotals::payload_bytes,
                           &CheckerTotals::wire_bytes}) {
    EXPECT_GT(totals[0].*value, 0U);
    EXPECT_EQ(totals[1].*value + totals[3].*value, totals[0].*value);
    EXPECT_EQ(totals[2].*value + totals[4].*value, totals[0].*value);
  }
  EXPECT_EQ(totals[0].begun, kEnds * kPackets);
  EXPECT_EQ(totals[0].finished, kEnds * kPackets);
}
INSTANTIATE_TEST_SUITE_P(Seeds, FabricChain, ::testing::Range(1U, 25U));

TEST(FabricLink, AViolationEndsTheSimulationWithItsText) {
  const ClassTable classes({{"bulk", 0, 2, 0}, {"urgent", 2, 1, 1}}, 3);
  Scheduler scheduler("scheduler");
  CheckerSet checkers;
  const OutputParams truth{1'000'000'000'000, 100, 4096}, belief{1'000'000'000'000, 101, 4096};
  FabricSource source("source", truth, classes, scheduler);
  FabricSink sink("sink", FabricSink::Credit::announced, scheduler);
  bind_checked(source.socket, sink.socket, &checkers, "link", belief, classes);
  std::mt19937 random(1);
  source.add(random_packet(random, 0, 0, 5000));
  try {
    sc_core::sc_start();
    FAIL() << "no exception";
  } catch (const std::exception& error) {  // the kernel wraps what leaves a process in a report of its own
    EXPECT_NE(std::string(error.what()).find("link: delay_is_latency at 5000 ps"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace wafertlm
