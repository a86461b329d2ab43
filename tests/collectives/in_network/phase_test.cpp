// SPDX-License-Identifier: Apache-2.0
// When a switch changes from the flows of one class to those of another, and what that costs.
#include <gtest/gtest.h>

#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

struct Outcome {
  TimePs mp_0, mp_1, dp;
  std::uint64_t changes;
};

/// A long DP flow over all four NPUs of an L1 from 0 on; at 1 us MP flows over two pairs.
Outcome run(const FlowRigParams& params) {
  FlowRig rig(params, flow_classes());
  ProvenCollective dp(rig, in_network(CollectiveType::all_reduce, first_npus(4), 9'000'000, rig), 1, kDp);
  ProvenCollective a(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 4096, rig), 2, kMp);
  ProvenCollective b(rig, in_network(CollectiveType::all_reduce, npus({2, 3}), 4096, rig), 3, kMp);
  dp.enter_all();
  a.enter_all(1'000'000);
  b.enter_all(1'000'000);
  rig.run();
  EXPECT_TRUE(dp.done() && a.done() && b.done());
  EXPECT_EQ(dp.wrong() + a.wrong() + b.wrong(), "");
  EXPECT_EQ(rig.unrest(), "");
  return {a.end_ps(), b.end_ps(), dp.end_ps(), rig.phase_changes(0)};
}

TEST(InNetworkPhase, WithoutRuleAndCostNothingIsCounted) { EXPECT_EQ(run({}).changes, 0U); }

TEST(InNetworkPhase, EveryChangeCosts) {
  FlowRigParams params;
  params.phase_rule = true;
  const Outcome free = run(params);
  EXPECT_GE(free.changes, 2U);  // to MP and back
  params.phase_change_ps = 1'000'000;
  const Outcome costs = run(params);
  EXPECT_GE(costs.mp_0, free.mp_0 + 990'000);
  EXPECT_GE(costs.dp, free.dp + 1'500'000);
}

// One MP flow alone changes the switch at its first packet; beside another one whose port has had none yet it
// waits. Flow units are driven directly, since admission lets no flow in whose contributors are not there.
struct Unit final : FlowUnitHost {
  explicit Unit(bool rule) : unit(params(rule), packets, *this) {}
  static FlowUnitParams params(bool rule) {
    FlowUnitParams made;
    made.outputs = 5;
    made.credit_delay_ps.assign(5, 0);
    made.phase_rule = rule;
    made.priority = {3, 2, 1};
    return made;
  }
  void send_copy(PortId output, std::uint32_t, Packet& copy, TimePs) override {
    sent.push_back({copy.flow->key.operation, index_of(output)});
    packets.release(copy);
  }
  void return_flow_credit(PortId, Packet&, TimePs) override {}
  void branch_done(const Flow&, TimePs) override {}
  void request_flow_wake(TimePs) override {}
  void packet(const Flow& flow, std::uint32_t input, TimePs at) {
    Packet& made = packets.acquire();
    made.flow = &flow;
    made.traffic_class = flow.traffic_class;
    made.wire_bytes = made.payload_bytes = 100;
    unit.arrive(static_cast<PortId>(input), made, at, at);
  }
  PacketPool packets;
  FlowUnit unit;
  std::vector<std::pair<std::uint64_t, std::size_t>> sent;
};

TEST(InNetworkPhase, ChangesWhenEveryPortOfTheHigherPhaseHasAPacket) {
  for (const bool rule : {false, true}) {
    Unit switch_(rule);
    const Flow dp{{1, 0}, kDp, {}, 100, 1, 0}, a{{2, 0}, kMp, {}, 100, 1, 1}, b{{3, 0}, kMp, {}, 100, 1, 2};
    switch_.unit.open(dp, {{PortId{0}}, {PortId{4}}, {}, {}}, {0});
    switch_.unit.open(a, {{PortId{1}}, {PortId{2}}, {}, {}}, {0});
    switch_.unit.open(b, {{PortId{2}}, {PortId{3}}, {}, {}}, {0});
    using Sent = std::vector<std::pair<std::uint64_t, std::size_t>>;
    switch_.packet(dp, 0, 10);
    switch_.packet(a, 1, 20);
    EXPECT_EQ(switch_.sent, rule ? (Sent{{1, 4}}) : (Sent{{1, 4}, {2, 2}}));
    switch_.packet(b, 2, 30);
    EXPECT_EQ(switch_.sent, (Sent{{1, 4}, {2, 2}, {3, 3}}));
  }
}

}  // namespace
}  // namespace wafertlm::test
