// SPDX-License-Identifier: Apache-2.0
// What random stimuli may be, whatever the seed.
#include "models/rtl/stress/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace wafertlm {
namespace {

constexpr std::uint64_t kSeeds = 300;
constexpr std::uint32_t kPackets = 40;

RtlDesign design_with_flows() {
  RtlDesign design;
  design.protocol = RtlProtocol::credit_stream;
  design.ports = 5;
  design.flit_bits = 64;
  design.channels = 3;
  design.depth = 12;
  design.out_depth = 9;
  design.flows = 4;
  return design;
}
RtlFlowRules flow_rules() {
  RtlFlowRules rules;
  rules.order = [](const auto& inputs, const auto&) {
    AdditionOrder order;
    for (std::uint32_t i = 1; i < inputs.size(); ++i) order.push_back({0, i});
    return order;
  };
  rules.data_types = {DataType::bf16};
  rules.priorities = 4;
  rules.settings = {{65535, 0, {0, 1}, true}};
  return rules;
}

TEST(RtlRandomStimulus, IsTheSameForASeed) {
  const RtlDesign design = design_with_flows();
  const auto text = [&](std::uint64_t seed) {
    return to_text(random_stimulus(design, flow_rules(), kPackets, seed), design);
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

TEST(RtlRandomStimulus, FitsTheDesign) {
  const RtlDesign design = design_with_flows();
  std::set<std::uint32_t> inputs, outputs, channels, flits, sizes;
  std::size_t sums = 0, copies = 0, late = 0, slow = 0, resets = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RtlStimulus made = random_stimulus(design, flow_rules(), kPackets, seed);
    resets += made.cycles_before_reset != 0;
    EXPECT_GE(made.packets.size(), kPackets - 1);
    EXPECT_LE(made.packets.size(), kPackets);
    std::map<std::uint32_t, std::set<std::uint32_t>> priorities;  // by channel
    for (const auto& branch : made.branches) {
      EXPECT_FALSE(branch.inputs.empty() || branch.outputs.empty());
      EXPECT_TRUE(std::is_sorted(branch.inputs.begin(), branch.inputs.end()));
      EXPECT_LT(branch.inputs.back(), design.ports);
      EXPECT_LT(branch.outputs.back(), design.ports);
      EXPECT_LT(branch.channel, design.channels);
      EXPECT_LT(branch.priority, 4U);
      priorities[branch.channel].insert(branch.priority);
      EXPECT_EQ(priorities[branch.channel].size(), 1U);
      const auto above = std::count(branch.inputs.begin(), branch.inputs.end(), branch.from_above - 1);
      EXPECT_EQ(above, branch.from_above == 0 ? 0 : 1);
      sums += branch.inputs.size() > 1;
      copies += branch.outputs.size() > 1;
    }
    for (const auto& packet : made.packets) {
      const std::uint32_t of = (packet.bytes + 7) / 8;
      EXPECT_GE(of, 1U);
      EXPECT_LE(of, design.out_depth);  // it can only leave whole
      flits.insert(of);
      sizes.insert(packet.bytes % 8);
      slow += packet.cycles_per_flit > 1;
      if (!packet.branch) {
        EXPECT_EQ(packet.arrivals.size(), 1U);
        inputs.insert(packet.arrivals[0].port);
        outputs.insert(packet.output);
        channels.insert(packet.channel);
        continue;
      }
      const auto& branch = made.branches.at(*packet.branch);
      EXPECT_EQ(packet.bytes % 2, 0U);  // whole BF16 values
      ASSERT_EQ(packet.arrivals.size(), branch.inputs.size());
      for (std::size_t i = 0; i < branch.inputs.size(); ++i)
        EXPECT_EQ(packet.arrivals[i].port, branch.inputs[i]);
      late += packet.arrivals.front().cycle + 100 < packet.arrivals.back().cycle;
    }
    for (const auto& each : made.stalls) {
      EXPECT_LT(each.port, design.ports);
      EXPECT_GT(each.cycles, 0U);
    }
  }
  EXPECT_EQ(inputs.size(), 5U);
  EXPECT_EQ(outputs.size(), 5U);
  EXPECT_EQ(channels.size(), 3U);
  EXPECT_EQ(flits.size(), 9U);
  EXPECT_EQ(sizes.size(), 8U);
  for (const std::size_t count : {sums, copies, late, slow, resets}) EXPECT_GT(count, kSeeds / 10);
}

// Flows that wait for each other must not share a channel.
TEST(RtlRandomStimulus, FlowsThatWaitHaveChannelsOfTheirOwn) {
  const RtlDesign design = design_with_flows();
  std::size_t seen = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RtlStimulus made = random_stimulus(design, flow_rules(), kPackets, seed);
    if (made.settings.empty() || made.settings[0].value == 0) continue;
    for (std::uint32_t round = 0; round < 2; ++round) {
      std::set<std::size_t> branches;
      for (const auto& packet : made.packets)
        if (packet.round == round && packet.branch) branches.insert(*packet.branch);
      std::set<std::uint32_t> channels;
      for (const std::size_t branch : branches)
        EXPECT_TRUE(channels.insert(made.branches[branch].channel).second) << seed;
      seen += branches.size() > 1;
    }
  }
  EXPECT_GT(seen, 20U);
}

TEST(RtlRandomStimulus, WithoutFlowsAllAreMessages) {
  RtlDesign design = design_with_flows();
  design.flows = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RtlStimulus made = random_stimulus(design, {}, kPackets, seed);
    EXPECT_TRUE(made.branches.empty());
    for (const auto& packet : made.packets) EXPECT_FALSE(packet.branch);
  }
}

TEST(RtlRandomStimulus, TextHasALineForEachPart) {
  const RtlDesign design = design_with_flows();
  RtlStimulus made;
  made.cycles_before_reset = 12;
  made.settings = {{65535, 0, 1}};
  made.branches = {{{0, 2}, {1}, {}, DataType::int32, 2, 1, 3}};
  RtlStimulus::Packet sum;
  sum.branch = 0;
  sum.bytes = 20;
  sum.arrivals = {{0, 4}, {2, 9}};
  RtlStimulus::Packet message;
  message.output = 3;
  message.bytes = 8;
  message.cycles_per_flit = 2;
  message.arrivals = {{1, 7}};
  made.packets = {sum, message};
  made.stalls = {{0, true, 1, 5, 6}};
  EXPECT_EQ(
      to_text(made, design),
      "  all this for 12 cycles, then a reset, then again:\n"
      "  configuration: entry 65535, word 0 = 1\n"
      "  round 0, 20 B (3 flits), flow 0,2 -> 1, channel 2, priority 1, int32, input 2 from above, comes "
      "in cycle 4 (input 0) 9 (input 2)\n"
      "  round 0, 8 B (1 flits), message 1 -> 3, channel 0, priority 0, comes in cycle 7, a flit in 2 "
      "cycles\n"
      "  round 0, output 1 stands still for 6 cycles from cycle 5 on\n"
      "  then 9 flits and two more to each output, which gets no credits, from channel 0 on\n");
}

}  // namespace
}  // namespace wafertlm
