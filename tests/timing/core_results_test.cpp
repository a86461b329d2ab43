// SPDX-License-Identifier: Apache-2.0
// Every delivery and every counter of whole runs, as one number per configuration: whoever makes the engine
// faster must not change a picosecond. Origin of the golden numbers: the engine before it was optimised,
// which the closed-form tests guard; they say nothing about right or wrong, only about the same. The two with
// small buffers are from when a credit that overtakes a promised one began to count
// (TimingGates.ACreditThatOvertakesAPromisedOne).
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "models/mesh/mesh_fabric.h"
#include "platform/machine/wafer.h"
#include "tests/support/fabric_ends.h"

namespace wafertlm {
namespace {

/// FNV-1a over 64-bit words.
struct Hash {
  void add(std::uint64_t word) { value = (value ^ word) * 0x100000001B3ULL; }
  void add(const OutputCounters& counters) {
    for (const std::uint64_t word :
         {counters.packets, counters.payload_bytes, counters.wire_bytes, counters.credit_blocked_ps,
          counters.queue_wait_ps, counters.credit_wait_ps})
      add(word);
    for (const TimePs time : counters.contention_wait_ps) add(time);
    for (const TimePs time : counters.longest_wait_ps) add(time);
  }
  void add(const FabricSink& sink) {
    for (const FabricSink::Arrival& arrival : sink.arrivals()) {
      add(index_of(arrival.source));
      add(arrival.sequence);
      add(arrival.head_ps);
      add(arrival.tail_ps);
    }
  }
  std::uint64_t value = 0xCBF29CE484222325ULL;
};

struct Load {
  std::uint32_t packets;           // per source
  bool mixed_sizes;                // or all of 4 KiB
  TimePs mean_gap_ps;              // 0: all at once
  std::uint32_t destinations = 0;  // the first so many; 0: all
};

/// Mostly backlog, with gaps, on random channels of random classes. Only what the C++ standard fixes of
/// <random>.
void add_packets(FabricSource& source, std::uint32_t from, std::uint32_t ends, const Load& load,
                 const ClassTable& classes, std::mt19937_64& random) {
  TimePs created = 0;
  for (std::uint32_t k = 0; k < load.packets; ++k) {
    if (load.mean_gap_ps && random() % 4 == 0) created += random() % (8 * load.mean_gap_ps);
    Packet packet;
    packet.source = static_cast<NpuId>(from);
    packet.destination = static_cast<NpuId>(random() % (load.destinations ? load.destinations : ends));
    packet.traffic_class = static_cast<ClassId>(random() % classes.size());
    const TrafficClass& traffic_class = classes[packet.traffic_class];
    packet.vc = static_cast<VcId>(traffic_class.first_vc + random() % traffic_class.vcs);
    packet.payload_bytes = load.mixed_sizes ? static_cast<std::uint32_t>(1 + random() % 4096) : 4096;
    packet.wire_bytes = load.mixed_sizes ? (packet.payload_bytes + 31) / 16 * 16 : 4096;
    packet.sequence = k;
    packet.created_ps = created;
    source.add(packet);
  }
}

std::uint64_t mesh_results(const MeshParams& params, const ClassTable& classes, const Load& load) {
  Scheduler scheduler("scheduler");
  MeshFabric mesh("mesh", params, classes, scheduler);
  const std::uint32_t npus = mesh.geometry().npus();
  std::deque<FabricSource> sources;
  std::deque<FabricSink> sinks;
  std::mt19937_64 random(npus);
  for (std::uint32_t n = 0; n < npus; ++n) {
    const std::string number = std::to_string(n);
    sources.emplace_back(("source_" + number).c_str(), mesh.injection_link(), classes, scheduler);
    sinks.emplace_back(("sink_" + number).c_str(), FabricSink::Credit::announced, scheduler);
    add_packets(sources[n], n, npus, load, classes, random);
    mesh.attach(static_cast<NpuId>(n), sources[n].socket, sinks[n].socket);
  }
  sc_core::sc_start();
  Hash hash;
  std::size_t delivered = 0;
  for (const FabricSink& sink : sinks) {
    hash.add(sink);
    delivered += sink.arrivals().size();
  }
  EXPECT_EQ(delivered, std::size_t{npus} * load.packets);
  EXPECT_EQ(mesh.queued_packets(), 0U);
  EXPECT_EQ(mesh.outstanding_credits(), 0U);
  for (const FabricLink& link : mesh.links()) hash.add(mesh.counters(link));
  return hash.value;
}

MeshParams wafer() {
  MeshParams params;
  params.width = 5;
  params.height = 4;
  params.link_bytes_per_s = 750'000'000'000;
  params.link_latency_ps = params.credit_delay_ps = 20'000;
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 3'000'000'000'000;
  params.format.packet_bytes = 4096;
  return params;
}

const ClassTable& one_class() {
  static const ClassTable classes({{"data", 0, 1, 0}}, 1);
  return classes;
}

TEST(CoreResults, OneChannelAutomaticBuffers) {
  // Origin: as the others, with three packets behind every link since buffers `auto` have them.
  EXPECT_EQ(mesh_results(wafer(), one_class(), {500, false, 10'000}), 3681563608975437656U);
}

TEST(CoreResults, OneChannelFifoSmallBuffersMixedSizes) {
  MeshParams params = wafer();
  params.input_queue = InputQueue::fifo;
  params.format.header_bytes = 16;
  params.buffer_bytes = 8448;
  EXPECT_EQ(mesh_results(params, one_class(), {500, true, 5'000}), 2356248713514630684U);
}

TEST(CoreResults, FourChannelsPrioritiesMixedSizesAwkwardRates) {
  MeshParams params = wafer();
  params.link_bytes_per_s = 749'999'999'989;
  params.injection_bytes_per_s = 3'000'000'000'017;
  params.ejection_bytes_per_s = 2'999'999'999'999;
  params.router_pipeline_ps = 1'500;
  params.format.header_bytes = 16;
  const ClassTable classes({{"low", 0, 2, 0}, {"high", 2, 1, 1}, {"low_too", 3, 1, 0}}, 4);
  EXPECT_EQ(mesh_results(params, classes, {500, true, 8'000}), 4065006460231873795U);
}

TEST(CoreResults, FourChannelsOfOneClassFifo) {
  MeshParams params = wafer();
  params.input_queue = InputQueue::fifo;
  params.buffer_bytes = 12'288;
  const ClassTable classes({{"data", 0, 4, 0}}, 4);
  EXPECT_EQ(mesh_results(params, classes, {500, false, 10'000}), 7144351834355774324U);
}

TEST(CoreResults, FourChannelsSmallBuffersHotspot) {
  MeshParams params = wafer();
  params.buffer_bytes = 8448;
  params.format.header_bytes = 16;
  const ClassTable classes({{"mp", 0, 1, 2}, {"dp", 1, 2, 1}, {"rest", 3, 1, 0}}, 4);
  EXPECT_EQ(mesh_results(params, classes, {300, true, 20'000, 3}), 713614439855818415U);
}

struct ByDestination : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

/// More inputs than one word has bits, outputs of unequal speeds. Origin: the engine before it was optimised
/// with its scheduler corrected, which delivered wake-ups late after a rest (see scheduler_order_test.cpp).
TEST(CoreResults, SeventyInputs) {
  constexpr std::uint32_t kInputs = 70, kOutputs = 3;
  const ClassTable classes({{"a", 0, 2, 1}, {"b", 2, 1, 0}}, 3);
  const OutputParams link{1'000'000'000'000, 5'000, 20'000};
  SwitchParams params;
  params.pipeline_ps = 333;
  params.credit_delay_ps.assign(kInputs, 4'000);
  params.outputs = {{700'000'000'001, 5'000, 9'000}, {3'000'000'000'000, 0, 30'000}, {123'456'789, 1, 8'448}};
  std::vector<std::string> inputs, outputs;
  for (std::uint32_t i = 0; i < kInputs; ++i) inputs.push_back(std::to_string(i));
  for (std::uint32_t i = 0; i < kOutputs; ++i) outputs.push_back(std::to_string(i));
  Scheduler scheduler("scheduler");
  const ByDestination routes;
  SwitchModule module("switch", params, inputs, outputs, classes, routes, scheduler);
  std::deque<FabricSource> sources;
  std::deque<FabricSink> sinks;
  std::mt19937_64 random(70);
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    sources.emplace_back(("source_" + inputs[i]).c_str(), link, classes, scheduler);
    add_packets(sources[i], i, kOutputs, {100, true, 100'000}, classes, random);
    sources[i].socket.bind(module.input(static_cast<PortId>(i)));
  }
  for (std::uint32_t i = 0; i < kOutputs; ++i) {
    sinks.emplace_back(("sink_" + outputs[i]).c_str(), FabricSink::Credit::when_free, scheduler);
    module.output(static_cast<PortId>(i)).bind(sinks[i].socket);
  }
  sc_core::sc_start();
  Hash hash;
  std::size_t delivered = 0;
  for (std::uint32_t i = 0; i < kOutputs; ++i) {
    hash.add(sinks[i]);
    hash.add(module.core().counters(static_cast<PortId>(i)));
    delivered += sinks[i].arrivals().size();
  }
  EXPECT_EQ(delivered, std::size_t{kInputs} * 100);
  EXPECT_EQ(module.core().outstanding_credits(), 0U);
  EXPECT_EQ(hash.value, 15115374655353904668U);
}

}  // namespace
}  // namespace wafertlm
