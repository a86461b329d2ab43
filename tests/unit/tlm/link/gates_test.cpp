// SPDX-License-Identifier: Apache-2.0
// Timing gates of the link-and-port engine: a grant is refused a picosecond too early, by every cause that
// can hold it, and comes at the picosecond that the engine itself asked to be woken at.
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/core_network.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kBytePerPs = 1'000'000'000'000;

/// Notes what the engine asks for and answers nothing.
struct FakeHost final : SwitchHost {
  void forward(PortId, Packet& packet, TimePs head_ps) override {
    ++forwarded;
    last = &packet;
    last_head_ps = head_ps;
  }
  void return_credit(PortId, Packet&, TimePs at) override { last_credit_ps = at; }
  void request_wake(PortId, TimePs at) override { last_wake_ps = at; }

  int forwarded = 0;
  const Packet* last = nullptr;
  TimePs last_head_ps = 0, last_credit_ps = 0, last_wake_ps = kNever;
};

/// A switch with `inputs` inputs and one output of a byte per picosecond.
struct Bench {
  explicit Bench(std::uint64_t buffer_bytes, std::size_t inputs = 1, TimePs pipeline_ps = 0)
      : core({pipeline_ps,
              InputQueue::per_output,
              std::vector<TimePs>(inputs, 7),
              {{kBytePerPs, 300, buffer_bytes}}},
             classes, routes, host) {}

  void arrive(std::uint32_t wire_bytes, TimePs head_ps, std::uint32_t input = 0, std::uint32_t vc = 0) {
    Packet& packet = packets.emplace_back();
    packet.waits.make();
    packet.wire_bytes = wire_bytes;
    packet.tail_ps = head_ps;
    packet.vc = static_cast<VcId>(vc);
    packet.traffic_class = static_cast<ClassId>(vc);
    core.arrive(static_cast<PortId>(input), packet, head_ps);
  }
  /// Refused at t - 1, granted at t, and t is what the engine asked for.
  void expect_gate(TimePs at) {
    EXPECT_EQ(host.last_wake_ps, at);
    const int before = host.forwarded;
    EXPECT_FALSE(core.wake(PortId{0}, at - 1)) << at;
    EXPECT_EQ(host.forwarded, before);
    EXPECT_TRUE(core.wake(PortId{0}, at)) << at;
    EXPECT_EQ(host.forwarded, before + 1);
    EXPECT_EQ(host.last_head_ps, at + 300);
  }

  const ClassTable classes{{{"low", 0, 1, 0}, {"high", 1, 1, 1}}, 2};
  OneOutput routes;
  FakeHost host;
  std::deque<Packet> packets;
  CutThroughSwitch core;
};

TEST(TimingGates, TheHeadArrives) {
  Bench bench(1 << 20);
  bench.arrive(100, 5000);
  bench.expect_gate(5000);
  EXPECT_EQ(bench.packets[0].tail_ps, 5000U + 100 + 300);
  EXPECT_EQ(bench.host.last_credit_ps, 5000U + 100 + 7);
  EXPECT_EQ(bench.packets[0].waits->total(), 0U);
}

TEST(TimingGates, ThePipelineDelay) {
  Bench bench(1 << 20, 1, 450);
  bench.arrive(100, 5000);
  bench.expect_gate(5450);
  EXPECT_EQ(bench.packets[0].waits->total(), 0U);
}

TEST(TimingGates, TheOwnQueueInFront) {
  Bench bench(1 << 20);
  bench.arrive(1000, 5000);
  bench.arrive(100, 5200);
  bench.expect_gate(5000);
  bench.expect_gate(6000);
  EXPECT_EQ(bench.packets[1].waits->queue_ps, 800U);
  EXPECT_EQ(bench.packets[1].waits->total(), 800U);
}

TEST(TimingGates, TheLinkIsDown) {
  Bench bench(1 << 20, 2);
  bench.arrive(1000, 5000, 0);
  bench.arrive(100, 5200, 1);
  bench.expect_gate(5000);
  bench.core.set_rate(PortId{0}, 0, 5500);
  EXPECT_FALSE(bench.core.wake(PortId{0}, 6000));  // what it asked for before
  bench.core.set_rate(PortId{0}, kBytePerPs / 2, 9000);
  bench.expect_gate(9000);
  EXPECT_EQ(bench.packets[1].tail_ps, 9000U + 200 + 300);
  EXPECT_EQ(bench.packets[1].waits->contention_ps[0], 800U);
  EXPECT_EQ(bench.packets[1].waits->down_ps, 3000U);
  EXPECT_EQ(bench.packets[1].waits->total(), 3800U);
  EXPECT_EQ(bench.core.counters(PortId{0}).down_wait_ps, 3000U);
  EXPECT_EQ(bench.core.counters(PortId{0}).credit_wait_ps, 0U);
}

TEST(TimingGates, ALackOfCreditBeforeTheLinkWentDown) {
  Bench bench(1000);
  bench.arrive(1000, 5000);
  bench.arrive(100, 5200);
  bench.expect_gate(5000);
  bench.core.set_rate(PortId{0}, 0, 7000);
  bench.core.credit(PortId{0}, VcId{0}, 1000, 7500, 7400);
  bench.core.set_rate(PortId{0}, kBytePerPs, 8000);
  bench.expect_gate(8000);
  EXPECT_EQ(bench.packets[1].waits->queue_ps, 800U);
  EXPECT_EQ(bench.packets[1].waits->credit_ps, 1000U);
  EXPECT_EQ(bench.packets[1].waits->down_ps, 1000U);
}

TEST(TimingGates, AnotherPacketOnTheLine) {
  Bench bench(1 << 20, 2);
  bench.arrive(1000, 5000, 0);
  bench.arrive(100, 5200, 1);
  bench.expect_gate(5000);
  bench.expect_gate(6000);
  EXPECT_EQ(bench.packets[1].waits->contention_ps[0], 800U);
  EXPECT_EQ(bench.packets[1].waits->total(), 800U);
  EXPECT_EQ(bench.core.counters(PortId{0}).longest_wait_ps[0], 800U);
}

TEST(TimingGates, ACreditThatIsPromised) {
  Bench bench(1000);
  bench.arrive(1000, 5000);
  bench.arrive(600, 5000);
  bench.expect_gate(5000);
  bench.core.credit(PortId{0}, VcId{0}, 1000, 8000, 5500);
  bench.expect_gate(8000);
  EXPECT_EQ(bench.packets[1].waits->queue_ps, 1000U);
  EXPECT_EQ(bench.packets[1].waits->credit_ps, 2000U);
  EXPECT_EQ(bench.core.counters(PortId{0}).credit_blocked_ps, 2000U);
}

TEST(TimingGates, ACreditThatOvertakesAPromisedOne) {
  Bench bench(2000);
  bench.arrive(1000, 5000);
  bench.arrive(1000, 5000);
  bench.arrive(1000, 5000);
  bench.expect_gate(5000);
  bench.expect_gate(6000);
  bench.core.credit(PortId{0}, VcId{0}, 1000, 20'000, 6500);
  EXPECT_EQ(bench.host.last_wake_ps, 20'000U);
  bench.core.credit(PortId{0}, VcId{0}, 1000, 9000, 7500);
  bench.expect_gate(9000);
}

TEST(TimingGates, AnIdleLineIsBlockedOnlyWhileAPacketIsReady) {
  Bench bench(1000);
  bench.arrive(1000, 5000);
  bench.expect_gate(5000);
  bench.arrive(600, 8000);  // the line is idle from 6000 on
  bench.core.credit(PortId{0}, VcId{0}, 1000, 9000, 8500);
  bench.expect_gate(9000);
  EXPECT_EQ(bench.packets[1].waits->credit_ps, 1000U);
  EXPECT_EQ(bench.core.counters(PortId{0}).credit_blocked_ps, 1000U);
}

TEST(TimingGates, CreditsThatComeInPieces) {
  Bench bench(1000);
  bench.arrive(1000, 5000);
  bench.arrive(600, 5000);
  bench.expect_gate(5000);
  bench.core.credit(PortId{0}, VcId{0}, 599, 7000, 7000);
  EXPECT_FALSE(bench.core.wake(PortId{0}, 7000));
  bench.core.credit(PortId{0}, VcId{0}, 1, 9000, 9000);  // room for exactly the packet
  EXPECT_EQ(bench.host.last_wake_ps, 9000U);
  EXPECT_TRUE(bench.core.wake(PortId{0}, 9000));
  EXPECT_EQ(bench.packets[1].waits->credit_ps, 3000U);
}

TEST(TimingGates, ACreditOfAnotherChannelDoesNotHelp) {
  Bench bench(1000);
  bench.arrive(1000, 5000);
  bench.arrive(600, 5000);
  bench.arrive(1000, 5000, 0, 1);
  ASSERT_TRUE(bench.core.wake(PortId{0}, 5000));  // high
  EXPECT_EQ(bench.host.last, &bench.packets[2]);
  bench.expect_gate(6000);  // low
  EXPECT_EQ(bench.host.last, &bench.packets[0]);
  bench.core.credit(PortId{0}, VcId{1}, 1000, 7000, 7000);
  EXPECT_FALSE(bench.core.wake(PortId{0}, 7000));
  bench.core.credit(PortId{0}, VcId{0}, 1000, 7500, 7500);
  EXPECT_TRUE(bench.core.wake(PortId{0}, 7500));
}

TEST(TimingGates, APacketOfHighPriorityGoesFirstAtTheSameInstantAndWaitsForTheOneOnTheLine) {
  Bench bench(1 << 20, 3);
  bench.arrive(1000, 5000, 0, 0);
  bench.expect_gate(5000);
  bench.arrive(100, 5100, 1, 0);
  bench.arrive(100, 6000, 2, 1);  // just in time
  bench.expect_gate(6000);
  EXPECT_EQ(bench.host.last, &bench.packets[2]);
  bench.expect_gate(6100);
  EXPECT_EQ(bench.host.last, &bench.packets[1]);
  EXPECT_EQ(bench.packets[1].waits->contention_ps[0], 900U);
  EXPECT_EQ(bench.packets[1].waits->contention_ps[1], 100U);
}

TEST(TimingGates, AnIdleOutputIsNotWokenForNothing) {
  Bench bench(1 << 20);
  EXPECT_FALSE(bench.core.wake(PortId{0}, 100));
  bench.arrive(100, 5000);
  EXPECT_TRUE(bench.core.wake(PortId{0}, 5000));
  bench.host.last_wake_ps = kNever;
  EXPECT_FALSE(bench.core.wake(PortId{0}, 5100));
  EXPECT_EQ(bench.host.last_wake_ps, kNever);
  EXPECT_EQ(bench.core.queued(), 0U);
}

}  // namespace
}  // namespace wafertlm
