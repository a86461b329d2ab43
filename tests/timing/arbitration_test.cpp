// SPDX-License-Identifier: Apache-2.0
// Who goes first at a contended output: fair among inputs to one packet over any window, channels of equal
// priority share, higher priority first, starvation reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/support/core_network.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kBytePerPs = 1'000'000'000'000;

/// A switch whose sources never run dry until their packets are used up. NpuId of a packet's source = input.
struct Contest {
  Contest(std::vector<TrafficClass> table, std::uint32_t virtual_channels, std::size_t inputs,
          std::uint64_t buffer_bytes, InputQueue discipline = InputQueue::per_output)
      : classes(std::move(table), virtual_channels), network(classes) {
    SwitchParams params;
    params.input_queue = discipline;
    params.credit_delay_ps.assign(inputs, 0);
    params.outputs = {{kBytePerPs, 2000, buffer_bytes}};
    network.add_switch(params, routes);
    network.on_grant = [this](std::size_t, PortId, const Packet& packet) {
      grants.push_back(packet.source);
      times.push_back(network.now());
    };
    network.on_delivery = [this](const Packet& packet) { delivered.push_back(packet); };
  }
  void offer(std::size_t input, ClassId traffic_class, std::uint32_t bytes, TimePs at = 0) {
    Packet packet;
    packet.source = static_cast<NpuId>(input);
    packet.traffic_class = traffic_class;
    packet.vc = static_cast<VcId>(classes[traffic_class].first_vc);
    packet.wire_bytes = bytes;
    packet.created_ps = at;
    packet.waits.make();
    network.offer(0, static_cast<PortId>(input), packet);
  }
  OutputCounters counters() const { return network.core(0).counters(PortId{0}); }

  ClassTable classes;
  OneOutput routes;
  CoreNetwork network;
  std::vector<NpuId> grants;
  std::vector<TimePs> times;
  std::vector<Packet> delivered;
};

/// The most by which two contenders' grants differ over any window of `grants` in which neither was out of
/// packets. `contender` maps an input to a contender; `offered` is the packets of each.
template <typename Contender>
std::int64_t most_unfair(const std::vector<NpuId>& grants, const std::vector<std::int64_t>& offered,
                         Contender contender) {
  std::int64_t worst = 0;
  for (std::size_t a = 0; a < offered.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      // difference over a window = change of the running difference; its range is the worst window
      std::int64_t got_a = 0, got_b = 0, low = 0, high = 0;
      for (const NpuId grant : grants) {
        if (got_a == offered[a] || got_b == offered[b]) break;
        got_a += contender(index_of(grant)) == a;
        got_b += contender(index_of(grant)) == b;
        low = std::min(low, got_a - got_b);
        high = std::max(high, got_a - got_b);
      }
      worst = std::max(worst, high - low);
    }
  return worst;
}

TEST(Arbitration, IsFairAmongInputsToOnePacketOverAnyWindow) {
  std::mt19937_64 random(17);
  std::printf("inputs  buffer     queue      sizes   grants  most unfair window\n");
  for (const std::size_t inputs : {2U, 3U, 5U, 64U, 65U, 130U})
    for (const std::uint64_t buffer : {2048U, 1U << 24})
      for (const InputQueue discipline : {InputQueue::fifo, InputQueue::per_output})
        for (const bool same_size : {true, false}) {
          Contest contest({{"all", 0, 1, 0}}, 1, inputs, buffer, discipline);
          std::vector<std::int64_t> offered(inputs);
          for (std::size_t input = 0; input < inputs; ++input) {
            offered[input] = 20 + static_cast<std::int64_t>(random() % 40);
            for (std::int64_t i = 0; i < offered[input]; ++i)
              contest.offer(input, ClassId{0},
                            same_size ? 1000 : 1 + static_cast<std::uint32_t>(random() % 1024));
          }
          contest.network.run();
          EXPECT_TRUE(contest.network.at_rest());
          const std::int64_t worst = most_unfair(contest.grants, offered, [](std::size_t i) { return i; });
          std::printf("%6zu %7llu  %s  %s %8zu  %lld\n", inputs, static_cast<unsigned long long>(buffer),
                      discipline == InputQueue::fifo ? "fifo      " : "per_output",
                      same_size ? "same  " : "random", contest.grants.size(), static_cast<long long>(worst));
          EXPECT_LE(worst, 1);
        }
}

TEST(Arbitration, ChannelsOfEqualPriorityShareWhateverTheirInputs) {
  // Channel 0 has three inputs, channels 1 and 2 one each: a third of the line for every channel.
  Contest contest({{"a", 0, 1, 5}, {"b", 1, 1, 5}, {"c", 2, 1, 5}}, 3, 5, 1 << 24);
  const std::vector<std::size_t> channel_of{0, 0, 0, 1, 2};
  for (std::size_t input = 0; input < 5; ++input)
    for (int i = 0; i < (input < 3 ? 100 : 300); ++i)
      contest.offer(input, static_cast<ClassId>(channel_of[input]), 1000);
  contest.network.run();
  EXPECT_LE(most_unfair(contest.grants, {300, 300, 300}, [&](std::size_t i) { return channel_of[i]; }), 1);
  // Within channel 0 its inputs take turns.
  std::vector<NpuId> of_channel_0;
  for (const NpuId input : contest.grants)
    if (index_of(input) < 3) of_channel_0.push_back(input);
  EXPECT_LE(most_unfair(of_channel_0, {100, 100, 100}, [](std::size_t i) { return i; }), 1);
}

TEST(Arbitration, HigherPriorityGoesFirstAndNothingIsInterrupted) {
  Contest contest({{"low", 0, 1, 1}, {"middle", 1, 1, 2}, {"high", 2, 1, 9}}, 3, 3, 1 << 24);
  for (int i = 0; i < 20; ++i) contest.offer(0, ClassId{0}, 1000);         // alone until 500
  for (int i = 0; i < 20; ++i) contest.offer(1, ClassId{1}, 1000, 500);    // in the middle of a packet
  for (int i = 0; i < 10; ++i) contest.offer(2, ClassId{2}, 1000, 5'500);  // and again
  for (int i = 0; i < 10; ++i) contest.offer(2, ClassId{2}, 1000, 40'000);
  contest.network.run();
  std::vector<NpuId> expected;
  const auto add = [&](std::size_t count, std::uint32_t input) {
    expected.insert(expected.end(), count, static_cast<NpuId>(input));
  };
  add(1, 0);   // from 0
  add(5, 1);   // from 1000
  add(10, 2);  // from 6000
  add(15, 1);  // from 16000
  add(9, 0);   // from 31000
  add(10, 2);  // from 40000
  add(10, 0);
  EXPECT_EQ(contest.grants, expected);
  for (std::size_t i = 0; i < contest.times.size(); ++i) EXPECT_EQ(contest.times[i], 1000 * i);
}

TEST(Arbitration, StarvationIsReportedByTheClassThatWaited) {
  constexpr TimePs kPacketPs = 1000;
  constexpr int kBacklog = 100;
  Contest contest({{"low", 0, 1, 0}, {"high", 1, 1, 1}}, 2, 3, 1 << 24);
  for (int i = 0; i < kBacklog; ++i)
    for (const std::size_t input : {0U, 1U}) contest.offer(input, ClassId{1}, kPacketPs);
  contest.offer(2, ClassId{0}, 300, 500);
  contest.offer(2, ClassId{0}, 300, 600);
  contest.network.run();
  // The first low packet comes at 500 and waits for all 200 high ones; the second is queued behind it.
  const TimePs starved = 2 * kBacklog * kPacketPs - 500;
  const OutputCounters& counters = contest.counters();
  std::printf("low starved for %llu ps, high waited at most %llu ps\n",
              static_cast<unsigned long long>(counters.longest_wait_ps[0]),
              static_cast<unsigned long long>(counters.longest_wait_ps[1]));
  EXPECT_EQ(counters.longest_wait_ps[0], starved);
  EXPECT_EQ(counters.longest_wait_ps[1], kPacketPs);  // the other input's packet
  EXPECT_EQ(counters.queue_wait_ps,
            // behind its own queue: packet i of a high input until its turn, less the wait at the front
            [] {
              TimePs sum = 0;
              for (int i = 1; i < kBacklog; ++i)
                sum +=
                    (2 * static_cast<TimePs>(i) - 1) * kPacketPs + (2 * static_cast<TimePs>(i)) * kPacketPs;
              return sum;
            }() +
                starved + 500 - 600 + 300);
  const Packet& low = contest.delivered[2 * kBacklog];
  EXPECT_EQ(low.traffic_class, ClassId{0});
  EXPECT_EQ(low.waits->contention_ps[1], starved);
  EXPECT_EQ(low.waits->total(), starved);
}

TEST(Arbitration, AClassUsesTheRoomiestOfItsChannels) {
  // Two packets of room per channel; it is home 3000 ps after the grant, and the first of equals is taken.
  const auto run = [](std::uint32_t channels) {
    Contest contest({{"all", 0, channels, 0}}, channels, 2, 2000);
    for (int i = 0; i < 40; ++i)
      for (const std::size_t input : {0U, 1U}) contest.offer(input, ClassId{0}, 1000);
    contest.network.run();
    for (std::size_t i = 0; i < contest.delivered.size(); ++i)
      EXPECT_EQ(index_of(contest.delivered[i].vc), channels == 1 ? 0 : i % 3);
    EXPECT_EQ(contest.counters().credit_blocked_ps, contest.times.back() - 79 * 1000);
    return contest.times.back();
  };
  EXPECT_EQ(run(1), 39U * 3000 + 1000);  // two packets per round trip
  EXPECT_EQ(run(4), 79U * 1000);         // never blocked
}

}  // namespace
}  // namespace wafertlm
