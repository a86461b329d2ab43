// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_tree.h"

#include <gtest/gtest.h>

#include <set>

namespace wafertlm {
namespace {

/// A switch with three endpoints.
FlowTree star() {
  FlowTree tree;
  tree.add_switch(3);
  for (std::uint32_t n = 0; n < 3; ++n) tree.attach(static_cast<NpuId>(n), 0, static_cast<PortId>(n));
  return tree;
}

const std::vector<NpuId> kAll = {NpuId{0}, NpuId{1}, NpuId{2}};

TEST(FlowPaths, OneTreeTakesAllPackets) {
  const FlowPaths ways = star();
  const FlowPaths::Plan plan = ways.plan(kAll, kAll, 100, 7);
  EXPECT_EQ(plan.stripes, 1U);
  ASSERT_EQ(plan.places.size(), 1U);
  EXPECT_EQ(plan.places[0].at, 0U);
  EXPECT_EQ(plan.places[0].branch.share.packets(100), 100U);
}

/// Five stars, at the switches 10, 11, …, of which the ones with even numbers may be used.
FlowPaths stars() {
  FlowPaths ways;
  for (std::size_t k = 0; k < 5; ++k) ways.add(star(), {10 + k});
  ways.set_choice([](const std::vector<NpuId>&) { return std::vector<std::size_t>{0, 2, 4}; });
  return ways;
}

TEST(FlowPaths, PacketsGoRoundTheWaysFromTheFirstOne) {
  const FlowPaths::Plan plan = stars().plan(kAll, {NpuId{1}}, 8, 4);
  EXPECT_EQ(plan.stripes, 3U);
  ASSERT_EQ(plan.places.size(), 3U);
  std::set<std::uint64_t> numbers;
  for (const FlowTree::SwitchBranch& place : plan.places) {
    const FlowShare& share = place.branch.share;
    for (std::uint64_t i = 0; i < share.packets(8); ++i) {
      const std::uint64_t number = share.number(i);
      EXPECT_TRUE(numbers.insert(number).second);
      EXPECT_EQ(share.position(number), i);
      EXPECT_EQ(place.at, 10 + 2 * ((4 + number) % 3));
    }
  }
  EXPECT_EQ(numbers.size(), 8U);
  EXPECT_EQ(*numbers.rbegin(), 7U);
}

TEST(FlowPaths, LegsWithoutPacketsAreLeftOut) {
  const FlowPaths::Plan plan = stars().plan(kAll, kAll, 2, 0);
  EXPECT_EQ(plan.stripes, 3U);
  ASSERT_EQ(plan.places.size(), 2U);
  EXPECT_EQ(plan.places[0].at, 10U);
  EXPECT_EQ(plan.places[1].at, 12U);
}

}  // namespace
}  // namespace wafertlm
