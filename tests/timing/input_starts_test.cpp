// SPDX-License-Identifier: Apache-2.0
// SwitchParams::input_start_ps: an input starts its packets one by one, whatever their outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/support/core_network.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kOneBytePerPs = 1'000'000'000'000;

struct EachDestination final : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

/// Outputs of 1 B/ps and plenty of room.
struct Crossbar {
  Crossbar(std::size_t inputs, std::size_t outputs, TimePs input_start_ps)
      : classes({{"low", 0, 1, 0}, {"high", 1, 1, 1}}, 2), network(classes) {
    SwitchParams params;
    params.input_start_ps = input_start_ps;
    params.credit_delay_ps.assign(inputs, 0);
    params.outputs.assign(outputs, {kOneBytePerPs, 0, 1 << 20});
    network.add_switch(params, routes);
    network.on_grant = [this](std::size_t, PortId, const Packet& packet) {
      starts[index_of(packet.source)].push_back(network.now());
    };
    network.on_delivery = [this](const Packet& packet) { delivered.push_back(packet); };
  }
  void offer(std::size_t input, std::size_t output, ClassId traffic_class, std::uint32_t bytes, TimePs at) {
    Packet packet;
    packet.source = static_cast<NpuId>(input);
    packet.destination = static_cast<NpuId>(output);
    packet.traffic_class = traffic_class;
    packet.vc = static_cast<VcId>(classes[traffic_class].first_vc);
    packet.wire_bytes = bytes;
    packet.created_ps = at;
    packet.waits.make();
    network.offer(0, static_cast<PortId>(input), packet);
  }

  ClassTable classes;
  EachDestination routes;
  CoreNetwork network;
  std::map<std::size_t, std::vector<TimePs>> starts;  // by input
  std::vector<Packet> delivered;
};

TEST(InputStarts, AreOneByOneForAnyOutputs) {
  for (const auto& [interval, expected] : std::map<TimePs, std::vector<TimePs>>{
           {0, {0, 0, 0}}, {700, {0, 700, 1400}}, {5000, {0, 5000, 10000}}}) {
    Crossbar crossbar(2, 3, interval);
    for (const std::size_t output : {0U, 1U, 2U}) crossbar.offer(0, output, ClassId{0}, 1000, 0);
    crossbar.network.run();
    EXPECT_EQ(crossbar.starts[0], expected) << interval;
    EXPECT_TRUE(crossbar.network.at_rest());
  }
}

TEST(InputStarts, AnotherInputIsNotHeldBack) {
  Crossbar crossbar(2, 2, 5000);
  crossbar.offer(0, 0, ClassId{0}, 1000, 0);
  crossbar.offer(1, 1, ClassId{0}, 1000, 0);
  crossbar.network.run();
  EXPECT_EQ(crossbar.starts[0], std::vector<TimePs>{0});
  EXPECT_EQ(crossbar.starts[1], std::vector<TimePs>{0});
}

// The packet at output 1 waits for the line until 1000, then for the start of its input at 1000 until 1300.
TEST(InputStarts, AreWaitedForAsContentionOfTheClassThatStarted) {
  Crossbar crossbar(2, 3, 300);
  crossbar.offer(1, 1, ClassId{1}, 1000, 0);  // the line of output 1 is busy until 1000
  crossbar.offer(0, 1, ClassId{0}, 1000, 200);
  crossbar.offer(0, 0, ClassId{1}, 1000, 1000);
  crossbar.network.run();
  ASSERT_EQ(crossbar.delivered.size(), 3U);
  const auto late = std::find_if(crossbar.delivered.begin(), crossbar.delivered.end(),
                                 [](const Packet& each) { return each.traffic_class == ClassId{0}; });
  EXPECT_EQ(late->tail_ps, 2300U);
  EXPECT_EQ(late->waits->contention_ps[1], 1100U);
  EXPECT_EQ(late->waits->total(), 1100U);
  EXPECT_EQ(crossbar.network.core(0).counters(PortId{1}).contention_wait_ps[1], 1100U);
}

TEST(InputStarts, AreApartUnderRandomTrafficAndWaitsSumUp) {
  constexpr TimePs kInterval = 1700;
  std::mt19937_64 random(5);
  Crossbar crossbar(4, 5, kInterval);
  std::size_t offered = 0;
  for (TimePs at = 0; at < 400'000; at += random() % 900, ++offered)
    crossbar.offer(random() % 4, random() % 5, static_cast<ClassId>(random() % 2),
                   1 + static_cast<std::uint32_t>(random() % 2000), at);
  crossbar.network.run();
  ASSERT_EQ(crossbar.delivered.size(), offered);
  for (const auto& [input, starts] : crossbar.starts)
    for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_GE(starts[i] - starts[i - 1], kInterval);
  for (const Packet& each : crossbar.delivered)
    EXPECT_EQ(each.tail_ps - each.created_ps - each.wire_bytes, each.waits->total());
}

TEST(InputStarts, NeedAQueuePerOutput) {
  const ClassTable classes({{"all", 0, 1, 0}}, 1);
  CoreNetwork network(classes);
  const OneOutput routes;
  SwitchParams params;
  params.input_queue = InputQueue::fifo;
  params.input_start_ps = 1;
  params.credit_delay_ps = {0};
  params.outputs = {{kOneBytePerPs, 0, 1000}};
  EXPECT_THROW(network.add_switch(params, routes), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
