// SPDX-License-Identifier: Apache-2.0
// Nothing blocks for ever: overlapping groups, late NPUs, smallest buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

constexpr std::uint64_t kFredB = 1'500'000'000'000, kFredD = 12'000'000'000'000;

FlowRigParams least(std::uint64_t uplink_bytes_per_s) {
  FlowRigParams params;
  params.uplink_bytes_per_s = uplink_bytes_per_s;
  params.packet_bytes = 512;
  params.credit_packets = 2;
  params.flows = 1;
  params.lanes = 2;
  return params;
}

// MP(2)-DP(5)-PP(2): a column of four NPUs holds two MP groups, the DP groups are the rows of five. Each
// uplink has room for one flow.
TEST(InNetworkDeadlock, AllDpGroupsAtOnce) {
  for (const std::uint64_t uplink : {kFredB, kFredD}) {
    FlowRig rig(least(uplink), flow_classes());
    std::vector<std::unique_ptr<ProvenCollective>> groups;
    for (std::uint32_t row = 0; row < 4; ++row) {
      groups.push_back(std::make_unique<ProvenCollective>(
          rig,
          in_network(CollectiveType::all_reduce, npus({row, row + 4, row + 8, row + 12, row + 16}), 50'000,
                     rig),
          row + 1, kDp));
      groups.back()->enter_all();
    }
    rig.run();
    for (const auto& group : groups) {
      EXPECT_TRUE(group->done());
      EXPECT_EQ(group->wrong(), "");
    }
    EXPECT_EQ(rig.unrest(), "");
    EXPECT_EQ(rig.admission().most_active(), 1U);
  }
}

/// Every NPU goes through its collectives in one order, the same for all, each of some of them only when an
/// earlier one is done, and computes for a while in between.
/// Adds to `waited_ps` how long flows waited for room.
void random_pattern(std::uint64_t seed, std::uint64_t uplink_bytes_per_s, TimePs& waited_ps) {
  std::mt19937_64 random(seed);
  FlowRigParams params = least(uplink_bytes_per_s);
  params.flows = static_cast<std::uint32_t>(1 + random() % 3);
  params.lanes = static_cast<std::uint32_t>(1 + random() % 4);
  params.phase_rule = random() % 2 == 0;
  params.phase_change_ps = random() % 2 * 50'000;
  FlowRig rig(params, flow_classes());
  constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::reduce,
                                       CollectiveType::broadcast, CollectiveType::reduce_scatter,
                                       CollectiveType::all_gather};
  const std::size_t count = 2 + random() % 6;
  std::vector<std::unique_ptr<ProvenCollective>> collectives;
  for (std::size_t k = 0; k < count; ++k) {
    Group group = first_npus(20);
    std::shuffle(group.begin(), group.end(), random);
    group.resize(2 + random() % 10);
    const DataType data = kDataTypes[random() % 2];
    collectives.push_back(std::make_unique<ProvenCollective>(
        rig,
        in_network(kTypes[random() % 5], group, 4 * (random() % 2000), rig, data,
                   static_cast<std::uint32_t>(random() % group.size())),
        k + 1, static_cast<ClassId>(random() % 3)));
  }
  struct Npu {
    std::vector<std::pair<std::size_t, std::uint32_t>> todo;  // (collective, rank)
    std::vector<TimePs> pause;
    std::vector<bool> waits;  // for the one before
  };
  std::vector<Npu> npus(20);
  for (std::size_t k = 0; k < count; ++k)
    for (std::uint32_t rank = 0; rank < collectives[k]->program().group.size(); ++rank) {
      Npu& npu = npus[index_of(collectives[k]->program().group[rank])];
      npu.todo.emplace_back(k, rank);
      npu.pause.push_back(random() % 4 == 0 ? random() % 10'000'000 : 0);
      npu.waits.push_back(random() % 2 == 0);
    }
  std::function<void(std::size_t, std::size_t)> start = [&](std::size_t n, std::size_t step) {
    Npu& npu = npus[n];
    while (step < npu.todo.size()) {
      const auto [k, rank] = npu.todo[step];
      const bool next_waits = step + 1 < npu.todo.size() && npu.waits[step + 1];
      std::function<void()> then;
      if (next_waits) then = [&start, n, step] { start(n, step + 1); };
      collectives[k]->enter(rank, rig.now() + npu.pause[step], then);
      if (next_waits) return;
      ++step;
    }
  };
  for (std::size_t n = 0; n < npus.size(); ++n) start(n, 0);
  // Unicast traffic in between.
  for (int k = 0; k < 10; ++k) {
    const auto from = static_cast<std::uint32_t>(random() % 20),
               to = static_cast<std::uint32_t>(random() % 20);
    if (from != to)
      rig.send(static_cast<NpuId>(from), static_cast<NpuId>(to), random() % 20'000,
               static_cast<ClassId>(random() % 3), static_cast<std::uint64_t>(k), random() % 1'000'000);
  }
  rig.run();
  for (const auto& collective : collectives) {
    ASSERT_TRUE(collective->done()) << "seed " << seed << ": "
                                    << (rig.pending().empty() ? "" : rig.pending().front());
    ASSERT_EQ(collective->wrong(), "") << "seed " << seed;
  }
  ASSERT_EQ(rig.unfinished(), 0U);
  ASSERT_EQ(rig.unrest(), "") << "seed " << seed;
  waited_ps += rig.admission().waited_ps();
}

// 500 each; in parts, so that each part is short under the sanitizers.
class InNetworkPatterns : public testing::TestWithParam<std::uint64_t> {};
TEST_P(InNetworkPatterns, FinishOnFredB) {
  TimePs waited_ps = 0;
  for (std::uint64_t k = 0; k < 125; ++k) random_pattern(GetParam() * 1000 + k, kFredB, waited_ps);
  EXPECT_GT(waited_ps, 0U);
}
TEST_P(InNetworkPatterns, FinishOnFredD) {
  TimePs waited_ps = 0;
  for (std::uint64_t k = 0; k < 125; ++k) random_pattern(GetParam() * 1000 + 500 + k, kFredD, waited_ps);
  EXPECT_GT(waited_ps, 0U);
}
INSTANTIATE_TEST_SUITE_P(Seeds, InNetworkPatterns, testing::Values(1, 2, 3, 4));

// Without reservation two flows fill each other's buffers: NPU 0 is in the first one and late for the second,
// NPU 1 the other way round.
TEST(InNetworkDeadlock, WithoutReservationTheCycleIsReported) {
  FlowRigParams params = least(kFredB);
  params.reservation = false;
  FlowRig rig(params, flow_classes());
  ProvenCollective a(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 1, kDp);
  ProvenCollective b(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 2, kDp);
  a.enter(0, 0);
  b.enter(1, 0);
  b.enter(0, 5'000'000);
  a.enter(1, 5'000'000);
  rig.run();
  EXPECT_FALSE(a.done() || b.done());
  ASSERT_FALSE(rig.pending().empty());
  EXPECT_EQ(
      rig.pending().front(),
      "cycle of waiting: flow 0 of collective 1 waits for room at input 1 of switch 0, which flow 0 of "
      "collective "
      "2 fills; flow 0 of collective 2 waits for room at input 0 of switch 0, which flow 0 of collective 1 "
      "fills");
}

TEST(InNetworkDeadlock, WithoutReservationAndOverlapItStillWorks) {
  FlowRigParams params = least(kFredB);
  params.reservation = false;
  FlowRig rig(params, flow_classes());
  ProvenCollective a(rig, in_network(CollectiveType::all_reduce, first_npus(20), 50'000, rig), 1, kDp);
  a.enter_all();
  rig.run();
  EXPECT_TRUE(a.done());
  EXPECT_EQ(a.wrong(), "");
  EXPECT_EQ(rig.unrest(), "");
}

// The same as above with reservation.
TEST(InNetworkDeadlock, WithReservationItFinishes) {
  FlowRig rig(least(kFredB), flow_classes());
  ProvenCollective a(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 1, kDp);
  ProvenCollective b(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 2, kDp);
  a.enter(0, 0);
  b.enter(1, 0);
  b.enter(0, 5'000'000);
  a.enter(1, 5'000'000);
  rig.run();
  EXPECT_TRUE(a.done() && b.done());
  EXPECT_EQ(a.wrong() + b.wrong(), "");
  EXPECT_EQ(rig.unrest(), "");
}

TEST(InNetworkAdmission, InTheOrderOfTheNumbers) {
  FlowRig rig(least(kFredB), flow_classes());
  // The first one occupies the room.
  ProvenCollective first(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 1, kDp);
  ProvenCollective second(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 2, kDp);
  ProvenCollective third(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 3, kDp);
  first.enter_all();
  third.enter_all(1'000);
  second.enter_all(2'000);
  rig.run();
  EXPECT_LT(first.end_ps(), second.end_ps());
  EXPECT_LT(second.end_ps(), third.end_ps());
  EXPECT_GT(rig.admission().waited_ps(), 0U);
}

}  // namespace
}  // namespace wafertlm::test
