// SPDX-License-Identifier: Apache-2.0
// Go-Back-N with real values on a FRED wafer without SystemC: whatever is wrong, repeated or lost, every
// packet is added exactly once.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/flow_cases.h"
#include "tests/support/sanitized.h"

namespace wafertlm::test {
namespace {

FlowRigParams lossy(double rate) {
  FlowRigParams params;
  params.bit_error_rate = rate;
  params.reliability = go_back_n();
  params.packet_bytes = 1024;
  return params;
}

/// Nothing is left over, and bytes add up.
void expect_rest(FlowRig& rig) {
  EXPECT_EQ(rig.unrest(), "");
  EXPECT_EQ(rig.unfinished(), 0U);
  for (const std::string& line : rig.pending()) ADD_FAILURE() << line;
  const ReliabilityCounters endpoints = rig.repairs();
  EXPECT_LE(endpoints.repeated_bytes, endpoints.sent_bytes);
}

TEST(ReliableMessages, ArriveInFullWhateverTheErrorRate) {
  for (const double rate : {0.0, 1e-9, 1e-7, 1e-6, 5e-6}) {
    FlowRig rig(lossy(rate), reliable_classes());
    std::uint32_t received = 0;
    const std::uint64_t bytes = 300'001;
    for (std::uint32_t npu = 0; npu < 20; ++npu)
      rig.send(static_cast<NpuId>(npu), static_cast<NpuId>((npu + 7) % 20), bytes, ClassId{2}, 5, 0,
               [&](TimePs) { ++received; });
    rig.run();
    EXPECT_EQ(received, 20U) << rate;
    expect_rest(rig);
    const ReliabilityCounters of = rig.repairs();
    EXPECT_EQ(of.taken_bytes, 20 * bytes);
    EXPECT_EQ(of.sent_bytes - of.repeated_bytes, 20 * bytes);
    EXPECT_EQ(of.sent_bytes - of.discarded_bytes, of.taken_bytes);
    if (rate == 0) {
      // A message of 293 packets has 18 groups of 16 and a rest.
      EXPECT_EQ(of.acks, 20U * 19);
      EXPECT_EQ(of.nacks + of.timeouts + of.repeats + of.repeated_packets, 0U);
      EXPECT_EQ(rig.spoiled_packets(), 0U);
    }
    if (rate >= 1e-6) {
      EXPECT_GT(of.nacks, 0U);
    }
  }
}

TEST(ReliableFlows, AddEveryPacketOnce) {
  for (const double rate : {0.0, 1e-7, 4e-7})
    for (const DataType type : {DataType::int32, DataType::bf16}) {
      FlowRigParams params = lossy(rate);
      params.routed_order = true;
      FlowRig rig(params, reliable_classes());
      ProvenCollective all(rig, in_network(CollectiveType::all_reduce, first_npus(20), 200'000, rig, type), 1,
                           ClassId{2});
      all.enter_all();
      rig.run();
      EXPECT_TRUE(all.done()) << rate;
      EXPECT_EQ(all.wrong(), "") << rate;
      expect_rest(rig);
      if (rate > 0) {
        EXPECT_GT(rig.repairs().nacks, 0U);
        EXPECT_GT(rig.flow_repairs().discarded_packets + rig.repairs().discarded_packets, 0U);
      }
    }
}

// Overlapping groups, late NPUs, the smallest buffers, unicast beside them.
TEST(ReliableFlows, RandomPatternsFinishWithTheRightValues) {
  for (std::uint64_t seed = 0; seed < (kSanitized ? 10 : 60); ++seed) {
    std::mt19937_64 random(seed);
    FlowRigParams params = lossy(seed % 3 == 0 ? 5e-6 : 5e-7);
    params.flows = 1 + seed % 2;
    params.credit_packets = 2;
    params.phase_rule = seed % 4 == 0;
    params.reliability->timeout_ps = seed % 5 == 0 ? 500'000 : 20'000'000;
    params.reliability->errors.seed = seed;
    FlowRig rig(params, reliable_classes());
    constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::reduce,
                                         CollectiveType::broadcast, CollectiveType::reduce_scatter,
                                         CollectiveType::all_gather};
    std::vector<std::unique_ptr<ProvenCollective>> all;
    for (std::uint32_t k = 0; k < 5; ++k) {
      Group group = first_npus(20);
      for (std::size_t i = 20; i > 1; --i) std::swap(group[i - 1], group[random() % i]);
      group.resize(2 + random() % 10);
      const DataType type = random() % 2 == 0 ? DataType::int32 : DataType::bf16;
      all.push_back(std::make_unique<ProvenCollective>(
          rig, in_network(kTypes[random() % 5], group, 4 * (1 + random() % 5000), rig, type), k + 1,
          ClassId{static_cast<std::uint8_t>(random() % 3)}));
      const auto late = random() % group.size();
      for (std::uint32_t rank = 0; rank < group.size(); ++rank)
        all.back()->enter(rank, rank == late ? 1'000'000 * (random() % 100) : 0);
    }
    rig.send(NpuId{3}, NpuId{17}, 100'000, ClassId{0}, 9, 0);
    rig.run();
    for (const auto& each : all) {
      EXPECT_TRUE(each->done()) << seed;
      EXPECT_EQ(each->wrong(), "") << seed;
    }
    expect_rest(rig);
    if (HasFailure()) break;
  }
}

TEST(ReliableFlows, ALostPacketComesAgain) {
  for (const std::uint64_t packet : {1U, 7U, 98U}) {  // of 98
    FlowRig rig(lossy(0), reliable_classes());
    Fault fault({FaultParams::Kind::drop_packet, NpuId{6}, {}, packet, 0});
    rig.set_fault(NpuId{6}, fault);
    ProvenCollective all(rig, in_network(CollectiveType::all_reduce, first_npus(20), 100'000, rig), 1,
                         ClassId{2});
    all.enter_all();
    rig.run();
    EXPECT_TRUE(fault.hit());
    EXPECT_TRUE(all.done()) << packet;
    EXPECT_EQ(all.wrong(), "");
    // A gap is seen at once; after the last packet all contributors wait for the last answer.
    EXPECT_EQ(rig.repairs().timeouts, packet == 98 ? 20U : 0U);
    expect_rest(rig);
  }
}

// Every answer covers 16 packets: 512 B for 64 KiB, on each link of the way back.
TEST(ReliableMessages, AnswersCostLessThanAHundredthOfTheBandwidth) {
  for (const bool flow : {false, true}) {
    FlowRigParams params = lossy(0);
    params.packet_bytes = 4096;
    FlowRig rig(params, reliable_classes());
    const std::uint64_t bytes = 16 * 4096 * 10;
    std::unique_ptr<ProvenCollective> all;
    if (flow) {
      all = std::make_unique<ProvenCollective>(
          rig, in_network(CollectiveType::all_reduce, first_npus(20), bytes, rig), 1, ClassId{2});
      all->enter_all();
    } else {
      rig.send(NpuId{0}, NpuId{1}, bytes, ClassId{2}, 5, 0);
    }
    rig.run();
    const std::uint64_t answers = rig.repairs().acks * 512;
    EXPECT_EQ(rig.repairs().acks, flow ? 200U : 10U);
    EXPECT_LT(answers, (flow ? 20 : 1) * bytes / 100);
    // Of a flow: one to each of 4 NPUs at 5 switches, up to L2 and from there down again, per group of
    // packets.
    EXPECT_EQ(rig.flow_repairs().answers, flow ? 10U * (5 * 1 + 5 * 1 + 5 * 4) : 0U);
    expect_rest(rig);
  }
}

// Go-Back-N on an idle path: of W packets that start until a wrong one starts again all are lost, so each
// takes 1 + p W / (1 - p) turns of the line: the efficiency is (1 - p) / (1 - p + p W).
TEST(ReliableMessages, GoodputFollowsTheClosedForm) {
  constexpr double kPacketPs = 4096 / 3.0;
  for (const double rate : {3e-8, 1e-7, 3e-7}) {
    FlowRigParams params = lossy(rate);
    params.packet_bytes = 4096;
    params.reliability->timeout_ps = 500'000;  // lost answers are not in the closed form
    FlowRig rig(params, reliable_classes());
    const std::uint64_t packets = kSanitized ? 10'000 : 40'000;
    TimePs end_ps = 0;
    rig.send(NpuId{0}, NpuId{1}, packets * 4096, ClassId{2}, 5, 0, [&](TimePs at) { end_ps = at; });
    rig.run();
    const double p = 1 - std::pow(1 - rate, 8.0 * 4096 * 2);  // two links
    // The tail is there after two latencies and a packet, the answer after two more and 512 B. One packet
    // starts at that time or before, one waits at the port.
    const double round_trip_ps = 4 * 20'000 + kPacketPs + 512 / 3.0;
    const double w = std::ceil(round_trip_ps / kPacketPs) + 1;
    const double expected = (1 - p) / (1 - p + p * w);
    const double measured = static_cast<double>(packets) * kPacketPs / static_cast<double>(end_ps);
    EXPECT_NEAR(measured / expected, 1, kSanitized ? 0.05 : 0.02) << rate << ", W " << w << ", " << measured;
    const ReliabilityCounters of = rig.repairs();
    EXPECT_NEAR(static_cast<double>(of.repeated_packets) / static_cast<double>(of.nacks + of.timeouts), w, 2)
        << rate;
    expect_rest(rig);
  }
}

}  // namespace
}  // namespace wafertlm::test
