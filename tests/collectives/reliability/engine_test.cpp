// SPDX-License-Identifier: Apache-2.0
// Go-Back-N with real values on a FRED wafer without SystemC: whatever is wrong, repeated or lost, every packet is
// added exactly once.
#include <gtest/gtest.h>

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
  for (const double rate : {0.0, 1e-7, 1e-6, 5e-6})
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
      if (rate >= 1e-6) {
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
    params.room_packets = 2;
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
  for (const std::uint64_t packet : {1, 7, 98}) {  // of 98
    FlowRig rig(lossy(0), reliable_classes());
    Fault fault({FaultParams::Kind::drop_packet, NpuId{6}, {}, packet, 0});
    rig.set_fault(NpuId{6}, fault);
    ProvenCollective all(rig, in_network(CollectiveType::all_reduce, first_npus(20), 100'000, rig), 1, ClassId{2});
    all.enter_all();
    rig.run();
    EXPECT_TRUE(fault.hit());
    EXPECT_TRUE(all.done()) << packet;
    EXPECT_EQ(all.wrong(), "");
    EXPECT_EQ(rig.repairs().timeouts, packet == 98 ? 1U : 0U);  // a gap is seen at once, an end is not
    expect_rest(rig);
  }
}

}  // namespace
}  // namespace wafertlm::test
