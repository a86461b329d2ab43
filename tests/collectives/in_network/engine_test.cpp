// SPDX-License-Identifier: Apache-2.0
// In-network collectives through endpoints, flow units and admission, without SystemC.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::reduce,
                                     CollectiveType::broadcast,  CollectiveType::reduce_scatter,
                                     CollectiveType::all_gather, CollectiveType::barrier};

TimePs time_of(const FlowRigParams& params, CollectiveType type, const Group& group, std::uint64_t bytes) {
  FlowRig rig(params, flow_classes());
  const CollectiveProgram program = in_network(type, group, bytes, rig);
  TimePs end = 0;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    rig.enter(program, 1, rank, kDp, 0, nullptr, [&](TimePs now) { end = now; });
  rig.run();
  EXPECT_EQ(rig.unfinished(), 0U);
  EXPECT_EQ(rig.unrest(), "");
  return end;
}

// Σ (latency + pipeline) + bytes / slowest link.
TEST(InNetworkTiming, IdlePathWithinAnL1) {
  FlowRigParams params;
  params.pipeline_ps = 5'000;
  EXPECT_EQ(time_of(params, CollectiveType::all_reduce, first_npus(4), 3000), 2 * 20'000 + 5'000 + 1'000);
}

TEST(InNetworkTiming, IdlePathOverTheL2) {
  FlowRigParams params;
  params.pipeline_ps = 5'000;
  // 3000 B at the uplink's 1.5 TB/s.
  EXPECT_EQ(time_of(params, CollectiveType::all_reduce, npus({0, 5, 19}), 3000),
            4 * 20'000 + 3 * 5'000 + 2'000);
  EXPECT_EQ(time_of(params, CollectiveType::broadcast, npus({0, 5, 19}), 3000),
            4 * 20'000 + 3 * 5'000 + 2'000);
}

// A vector of 64 MiB at 3 TB/s within an L1 and 1.5 TB/s over the L2; line rate to a part in 10⁴.
TEST(InNetworkTiming, ReductionRunsAtLinkRate) {
  const std::uint64_t bytes = 64 << 20;
  const auto at = [&](std::uint64_t rate) { return static_cast<double>(transfer_time_ps(bytes, rate)); };
  FlowRigParams params;
  params.packet_bytes = 16384;
  params.pipeline_ps = 10'000;
  EXPECT_NEAR(static_cast<double>(time_of(params, CollectiveType::all_reduce, first_npus(4), bytes)) /
                  at(params.npu_bytes_per_s),
              1, 0.005);
  EXPECT_NEAR(static_cast<double>(time_of(params, CollectiveType::all_reduce, first_npus(20), bytes)) /
                  at(params.uplink_bytes_per_s),
              1, 0.005);
}

TEST(InNetworkValues, EveryTypeAndGroup) {
  std::mt19937_64 random(7);
  std::vector<Group> groups = {first_npus(20), first_npus(4), npus({2, 3, 4, 5, 6}),
                               npus({7, 18}),  npus({8, 9}),  npus({19, 3, 11, 0, 6}),
                               npus({5})};
  for (int k = 0; k < 8; ++k) {
    Group all = first_npus(20);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(2 + random() % 18);
    groups.push_back(all);
  }
  for (const Group& group : groups)
    for (const CollectiveType type : kTypes)
      for (const DataType data : kDataTypes)
        for (const std::uint64_t bytes :
             {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{4100}, std::uint64_t{41'000}})
          for (const std::uint32_t room : {0U, 2U}) {
            if (type == CollectiveType::barrier && bytes != 4) continue;
            FlowRigParams params;
            params.packet_bytes = 1024;
            params.credit_packets = room;
            params.flows = room == 0 ? 4 : 1;
            params.routed_order = room == 0;
            FlowRig rig(params, flow_classes());
            ProvenCollective collective(
                rig, in_network(type, group, bytes, rig, data, static_cast<std::uint32_t>(group.size() / 2)),
                1, kDp);
            // One NPU is late.
            for (std::uint32_t rank = 0; rank < group.size(); ++rank)
              collective.enter(rank, rank == 1 ? 3'000'000 : 0);
            rig.run();
            ASSERT_TRUE(collective.done())
                << to_string(type) << " " << bytes << " B, " << group.size() << " ranks";
            ASSERT_EQ(collective.wrong(), "") << to_string(type) << " " << bytes;
            ASSERT_EQ(rig.unrest(), "");
          }
}

// Four NPUs of a FRED_3(5): the pairs of its input µswitches, then a middle one.
TEST(InNetworkValues, SumsAreRoundedInTheOrderOfTheMicroSwitches) {
  FlowRigParams params;
  params.routed_order = true;
  FlowRig routed(params, flow_classes());
  EXPECT_EQ(routed.additions(first_npus(4), first_npus(4)), (AdditionOrder{{0, 1}, {2, 3}, {0, 2}}));
  FlowRig in_a_row({}, flow_classes());
  EXPECT_EQ(in_a_row.additions(first_npus(4), first_npus(4)), (AdditionOrder{{0, 1}, {0, 2}, {0, 3}}));
  // The two orders give different BF16 sums, and each rig its own.
  const auto sum = [&](FlowRig& rig, FlowRig& order) {
    CollectiveProgram program =
        in_network(CollectiveType::all_reduce, first_npus(4), 8192, order, DataType::bf16);
    ProvenCollective collective(rig, std::move(program), 1, kDp);
    collective.enter_all();
    rig.run();
    return collective.wrong();
  };
  EXPECT_EQ(sum(routed, routed), "");
  EXPECT_NE(sum(in_a_row, routed), "");
}

// All-reduce by group size: traffic per NPU, out and in together, against an endpoint ring's 2 (N−1)/N · 2 S.
TEST(InNetworkTraffic, GainByGroupSize) {
  const std::uint64_t bytes = 1 << 20;
  for (const auto& [size, gain] : {std::pair(2U, 1.0), {3U, 4.0 / 3}, {4U, 1.5}, {5U, 1.6}, {20U, 1.9}}) {
    FlowRig rig({}, flow_classes());
    const CollectiveProgram program = in_network(CollectiveType::all_reduce, first_npus(size), bytes, rig);
    for (std::uint32_t rank = 0; rank < size; ++rank) rig.enter(program, 1, rank, kDp, 0);
    rig.run();
    for (std::uint32_t npu = 0; npu < size; ++npu) {
      const double out = static_cast<double>(rig.injected_bytes(static_cast<NpuId>(npu)));
      const double in = static_cast<double>(rig.payload_bytes(npu / 4, static_cast<PortId>(npu % 4)));
      const double ring = 4.0 * (size - 1) / size * static_cast<double>(bytes);
      EXPECT_DOUBLE_EQ(ring / (out + in), gain);
    }
  }
}

TEST(InNetworkTraffic, NoGainForALoneReduceScatterOrAllGather) {
  const std::uint64_t bytes = 1 << 20;
  for (const CollectiveType type : {CollectiveType::reduce_scatter, CollectiveType::all_gather}) {
    FlowRig rig({}, flow_classes());
    const CollectiveProgram program = in_network(type, first_npus(4), bytes, rig);
    for (std::uint32_t rank = 0; rank < 4; ++rank) rig.enter(program, 1, rank, kDp, 0);
    rig.run();
    // An endpoint ring sends and receives 3/4 each.
    const std::uint64_t out = rig.injected_bytes(NpuId{0}), in = rig.payload_bytes(0, PortId{0});
    EXPECT_GE(std::max(out, in), bytes / 4 * 3) << to_string(type);
  }
}

}  // namespace
}  // namespace wafertlm::test
