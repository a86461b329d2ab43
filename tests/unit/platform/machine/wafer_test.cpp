// SPDX-License-Identifier: Apache-2.0
// What of a platform the wafer, its endpoints and predictions are given.
#include "platform/machine/wafer.h"
#include "platform/machine/machine_links.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "platform/machine/machine.h"
#include "platform/machine/reliability.h"
#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

ClassTable classes_of(const std::vector<std::string>& overrides,
                      const std::string& preset = "wafer_mesh_5x4") {
  return class_table(test::preset(preset, overrides).wafer);
}

const TrafficClass& of(const ClassTable& table, const char* name) { return table[table.find(name)]; }

TEST(Classes, HaveTheChannelsOfTheTable) {
  const ClassTable plain = classes_of({});
  EXPECT_EQ(plain.virtual_channels(), 4U);
  EXPECT_EQ(of(plain, "pp").first_vc, 1U);
  EXPECT_EQ(of(plain, "mp").priority, 3U);
  const ClassTable more =
      classes_of({"wafer.fabric.virtual_channels=6",
                  "wafer.fabric.classes=[{name: dp, vc: 1, vcs: 3, priority: 2}, {name: x, "
                  "vc: 4, priority: 7}]"});
  EXPECT_EQ(more.virtual_channels(), 6U);
  EXPECT_EQ(of(more, "dp").first_vc, 1U);
  EXPECT_EQ(of(more, "dp").vcs, 3U);
  EXPECT_EQ(of(more, "x").first_vc, 4U);
  EXPECT_EQ(of(more, "x").vcs, 1U);
}

// Packets behind a dateline have other channels, so each is there twice.
TEST(Classes, OfRingsHaveEveryChannelTwice) {
  const ClassTable rings = classes_of({"wafer.outer.topology=ring"}, "wafers_4_mesh_5x4");
  EXPECT_EQ(rings.virtual_channels(), 8U);
  EXPECT_EQ(of(rings, "pp").first_vc, 2U);
  EXPECT_EQ(of(rings, "pp").vcs, 2U);
  EXPECT_FALSE(rings.has_flows());
}

TEST(Classes, OfSwitchesThatReduceHaveChannelsForFlows) {
  const ClassTable flows = classes_of({}, "fred_d");
  EXPECT_TRUE(flows.has_flows());
  EXPECT_EQ(flows.virtual_channels(), 8U);
  EXPECT_FALSE(classes_of({}, "fred_a").has_flows());
}

TEST(Classes, AnswersOfGoBackNAreAboveAllOthersOnAChannelOfTheirOwn) {
  const std::string errors = "wafer.fabric.bit_error_rate=1e-9";
  const ClassTable own = classes_of({errors});
  EXPECT_EQ(own.virtual_channels(), 5U);
  EXPECT_EQ(of(own, "control").first_vc, 4U);
  EXPECT_EQ(of(own, "control").vcs, 1U);
  EXPECT_EQ(of(own, "control").priority, of(own, "mp").priority + 1);
  EXPECT_EQ(of(own, "weights").first_vc, 3U);
  const ClassTable shared = classes_of({errors, "wafer.fabric.reliability.channel=class"});
  EXPECT_EQ(shared.virtual_channels(), 4U);
  EXPECT_EQ(of(shared, "control").first_vc, 3U);
  EXPECT_EQ(of(shared, "control").priority, 0U);
}

TEST(Answers, AreThereWithGoBackNAlone) {
  const auto format = [](std::vector<std::string> keys, const std::string& preset = "wafer_mesh_5x4") {
    return answer_format(test::preset(preset, keys).wafer.fabric);
  };
  EXPECT_FALSE(format({}));
  const auto plain = format({"wafer.fabric.reliability={protocol: go_back_n, control_packet_bytes: 70 B}"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->wire_bytes, 70U);
  EXPECT_EQ(static_cast<std::uint32_t>(plain->vc), 4U);
  EXPECT_EQ(index_of(plain->traffic_class), 7U) << "the last of the table";
  const auto flows = format({"wafer.fabric.bit_error_rate=1e-9"}, "fred_d");
  ASSERT_TRUE(flows);
  EXPECT_EQ(flows->wire_bytes, 512U);
  EXPECT_EQ(static_cast<std::uint32_t>(flows->vc), 4U);
  EXPECT_EQ(static_cast<std::uint32_t>(flows->flow_vc), 9U) << "behind the five of messages";
  const auto params = reliability_params(
      test::platform({"wafer.fabric.bit_error_rate=1e-9", "run.seed=77",
                      "wafer.fabric.reliability={window: 50, ack_every: 5, timeout: 3 us}"}));
  ASSERT_TRUE(params);
  EXPECT_EQ(params->errors.rate, 1e-9);
  EXPECT_EQ(params->errors.seed, 77U);
  EXPECT_EQ(params->window, 50U);
  EXPECT_EQ(params->ack_every, 5U);
  EXPECT_EQ(params->timeout_ps, 3'000'000U);
  EXPECT_FALSE(reliability_params(test::platform()));
}

TEST(Answers, AreWholeFlits) {
  for (const auto& [bytes, wire] : {std::pair{1, 64U}, {64, 64U}, {65, 128U}, {512, 512U}}) {
    const auto format = answer_format(test::platform({"wafer.fabric.flit_bytes=64 B",
                                                      "wafer.fabric.reliability={protocol: go_back_n, "
                                                      "control_packet_bytes: " +
                                                          std::to_string(bytes) + " B}"})
                                          .wafer.fabric);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->wire_bytes, wire) << bytes;
  }
}

TEST(Goodput, IsThePartThatWasSentForTheFirstTime) {
  ReliabilityTotals totals;
  EXPECT_EQ(totals.goodput(), 1);
  totals.endpoints.sent_bytes = 800;
  totals.endpoints.repeated_bytes = 200;
  totals.endpoints.repeated_packets = 3;
  totals.endpoints.discarded_bytes = 10;
  totals.endpoints.discarded_packets = 5;
  totals.endpoints.acks = 6;
  totals.endpoints.nacks = 7;
  totals.endpoints.timeouts = 8;
  totals.endpoints.repeats = 20;
  totals.switches.discarded_bytes = 30;
  totals.switches.discarded_packets = 40;
  totals.switches.answers = 50;
  totals.spoiled_packets = 9;
  EXPECT_EQ(totals.goodput(), 0.75);
  EXPECT_EQ(to_json(totals, 1e-6), (nlohmann::json{{"bit_error_rate", 1e-6},
                                                   {"goodput", 0.75},
                                                   {"sent_bytes", 800},
                                                   {"retransmitted_bytes", 200},
                                                   {"retransmitted_packets", 3},
                                                   {"discarded_bytes", 40},
                                                   {"discarded_packets", 45},
                                                   {"corrupted_packets", 9},
                                                   {"acks", 6},
                                                   {"nacks", 7},
                                                   {"timeouts", 28},
                                                   {"switch_answers", 50}}));
}

TEST(PlatformTraits, AreTheKeysOfTheEndpointAndTheMemory) {
  const FabricTraits plain = platform_traits(test::platform());
  EXPECT_EQ(plain.launch_cost_ps, 0U);
  EXPECT_EQ(plain.reduction_bytes_per_s, 0U);
  const FabricTraits traits = platform_traits(test::platform(
      {"npu.endpoint={launch_cost: 1 us, step_cost: 2 us, receive_cost: 3 us, stage_cost: 4 us, "
       "reduction_bandwidth: 5 GB/s, memory: hbm}",
       "npu.hbm={read_bandwidth: 6 GB/s, write_bandwidth: 7 GB/s, latency: 8 ns, request_bytes: 9 KiB}"}));
  EXPECT_EQ(traits.launch_cost_ps, 1'000'000U);
  EXPECT_EQ(traits.step_cost_ps, 2'000'000U);
  EXPECT_EQ(traits.receive_cost_ps, 3'000'000U);
  EXPECT_EQ(traits.hierarchy.stage_cost_ps, 4'000'000U);
  EXPECT_EQ(traits.reduction_bytes_per_s, 5'000'000'000U);
  EXPECT_TRUE(plain.memory.is_free());
  EXPECT_EQ(traits.memory.read_bytes_per_s, 6'000'000'000U);
  EXPECT_EQ(traits.memory.write_bytes_per_s, 7'000'000'000U);
  EXPECT_EQ(traits.memory.latency_ps, 8000U);
  EXPECT_EQ(traits.memory.chunk_bytes, 9U * 1024);
}

// Each link between routers, to and from NPUs and controllers has its place; nothing else has one.
TEST(MachineLinks, AreFoundByWhereTheyBegin) {
  const Machine machine(test::platform());
  const std::vector<MachineLink> links = machine_links(machine);
  EXPECT_EQ(links.size(), 2U * (4 * 4 + 3 * 5) + 2U * 20 + 2U * 18);
  const LinkPlaces places(links);
  std::set<std::string> names;
  for (std::size_t i = 0; i < links.size(); ++i) {
    EXPECT_EQ(places.of(links[i].from, links[i].output), i) << links[i].name;
    names.insert(links[i].name);
    const bool port = links[i].name.find("npu") != std::string::npos;
    const bool controller = links[i].name.find("io") != std::string::npos;
    EXPECT_EQ(links[i].bytes_per_s, port         ? 3'000'000'000'000U
                                    : controller ? 128'000'000'000U
                                                 : 750'000'000'000U)
        << links[i].name;
  }
  EXPECT_EQ(names.size(), links.size());
  EXPECT_TRUE(names.count("npu7->router7") == 1 && names.count("router7->npu7") == 1);
  EXPECT_EQ(places.of(links.back().from + 1, PortId{0}), LinkPlaces::kNone);
}

}  // namespace
}  // namespace wafertlm
