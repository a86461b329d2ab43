// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/entries.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

FlowBranch branch_of(std::vector<int> inputs, std::vector<int> outputs, FlowShare share = {}) {
  FlowBranch branch;
  for (const int port : inputs) branch.inputs.push_back(static_cast<PortId>(port));
  for (const int port : outputs) branch.outputs.push_back(static_cast<PortId>(port));
  branch.share = share;
  return branch;
}

TEST(RtlEntries, OpenTellsWhatTheBranchIs) {
  RtlEntries entries(4);
  Flow flow;
  flow.data_type = DataType::bf16;
  flow.packets = 10;
  flow.stripes = 3;
  FlowBranch branch = branch_of({1, 4}, {0, 2, 5}, {3, 1});
  branch.order = {{1, 0}};
  branch.from_above = static_cast<PortId>(4);
  const RtlEntry made = entries.open(flow, branch, 2, 6);
  EXPECT_EQ(made.number, 0U);
  EXPECT_EQ(made.channel, 2U);
  EXPECT_EQ(made.priority, 6U);
  EXPECT_EQ(made.first, 0U);
  EXPECT_EQ(made.packets, 3U);  // 1, 4, 7 of 0 to 9
  EXPECT_EQ(made.from_above, 5U);
  EXPECT_EQ(made.inputs, (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(made.outputs, (std::vector<std::uint32_t>{0, 2, 5}));
  ASSERT_EQ(made.order.size(), 1U);
  EXPECT_EQ(made.order[0].into, 1U);
  EXPECT_EQ(made.data_type, DataType::bf16);
  EXPECT_EQ(entries.open(flow, branch_of({0}, {1}), 2, 6).from_above, 0U);
  // Packet 7 is the third of its stripe.
  const RtlEntries::Number in = entries.at_input(flow, 7, 4), out = entries.at_output(flow, 7, 5);
  EXPECT_EQ(in.flow, 0U);
  EXPECT_EQ(in.sequence, 2U);
  EXPECT_EQ(out.sequence, 2U);
  EXPECT_THROW(entries.at_input(flow, 7, 5), std::logic_error);
  EXPECT_THROW(entries.at_output(flow, 7, 4), std::logic_error);
  EXPECT_THROW(entries.at_input(flow, 8, 4), std::logic_error);  // another stripe
}

// The entry that has been free longest is taken, and counts on where its last flow has ended.
TEST(RtlEntries, AreUsedAgain) {
  RtlEntries entries(3);
  std::vector<Flow> flows(5);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].packets = 10 * (i + 1);
  const FlowBranch branch = branch_of({0, 1}, {2, 3});
  for (std::size_t i = 0; i < 3; ++i) {
    const RtlEntry made = entries.open(flows[i], branch, 0, 0);
    EXPECT_EQ(made.number, i);
    EXPECT_EQ(made.first, 0U);
  }
  EXPECT_EQ(
      test::refusal_of<std::runtime_error>([&] { entries.open(flows[3], branch, 0, 0); }),
      "more branches of in-network flows at a switch at the same time than the 3 that its RTL has entries "
      "for (parameter FLOWS)");
  entries.close(flows[1]);
  entries.close(flows[0]);
  EXPECT_THROW(entries.at_input(flows[1], 0, 0), std::logic_error);
  EXPECT_THROW(entries.at_output(flows[1], 0, 3), std::logic_error);
  EXPECT_EQ(entries.at_output(flows[2], 5, 3).flow, 2U);
  const RtlEntry fourth = entries.open(flows[3], branch, 0, 0), fifth = entries.open(flows[4], branch, 0, 0);
  EXPECT_EQ(fourth.number, 1U);
  EXPECT_EQ(fourth.first, 20U);
  EXPECT_EQ(fifth.number, 0U);
  EXPECT_EQ(fifth.first, 10U);
  EXPECT_EQ(entries.at_input(flows[3], 5, 1).sequence, 25U);
  entries.close(flows[3]);
  EXPECT_EQ(entries.open(flows[0], branch, 0, 0).first, 60U);
}

TEST(RtlEntries, MessagesCountByOutputAndPriority) {
  RtlEntries entries(0);
  EXPECT_EQ(entries.message(3, 0).sequence, 0U);
  EXPECT_EQ(entries.message(3, 0).sequence, 1U);
  EXPECT_EQ(entries.message(3, 1).sequence, 0U);
  EXPECT_EQ(entries.message(4, 0).flow, 0x8004U);
  EXPECT_EQ(entries.message(4, 9).flow, 0xf004U);  // 7 at most
}

}  // namespace
}  // namespace wafertlm
