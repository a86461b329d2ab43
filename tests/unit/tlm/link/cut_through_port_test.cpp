// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/cut_through_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace wafertlm::cut_through {
namespace {

/// Whatever the order in which the flows hand their copies over, they leave in the order of their times; of
/// one time in that of the keys; those of a flow as they came.
TEST(Lane, CopiesLeaveByTimeWhoeverHandsThemOverFirst) {
  std::array<Flow, 3> flows{};
  flows[0].key = {7, 1};
  flows[1].key = {7, 0};  // before the first at one time
  flows[2].key = {6, 9};  // before both
  struct Copy {
    std::size_t flow;
    TimePs ready_ps;
  };
  const std::vector<Copy> sorted = {{0, 10}, {2, 20}, {1, 20}, {0, 20}, {2, 30}, {1, 40}};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5};
  std::size_t tried = 0;
  do {
    const auto comes_before = [&](std::size_t a, std::size_t b) {
      return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
    };
    if (!comes_before(0, 3) || !comes_before(1, 4) || !comes_before(2, 5)) continue;  // a flow's own order
    std::array<Packet, 6> packets{};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      packets[i].flow = &flows[sorted[i].flow];
      packets[i].ready_ps = sorted[i].ready_ps;
    }
    Queue lane;
    for (const std::size_t each : order) {
      const bool was_head = lane.push_by_time(packets[each]);
      EXPECT_EQ(was_head, lane.head == &packets[each]);
    }
    const Packet* at = lane.head;
    for (std::size_t i = 0; i < sorted.size(); ++i, at = at->next) ASSERT_EQ(at, &packets[i]) << i;
    EXPECT_EQ(at, nullptr);
    EXPECT_EQ(lane.tail, &packets.back());
    ++tried;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(tried, 90U);  // 6! / 2!^3
}

TEST(Lane, WhatAFlowSendsAgainStaysBehindWhatItHasSent) {
  Flow flow, other;
  other.key = {1, 0};
  std::array<Packet, 3> packets{};
  packets[0].flow = packets[1].flow = &flow;
  packets[2].flow = &other;
  packets[0].ready_ps = 50;
  packets[1].ready_ps = 40;
  packets[2].ready_ps = 45;
  Queue lane;
  for (Packet& each : packets) lane.push_by_time(each);
  EXPECT_EQ(lane.head, &packets[0]);
  EXPECT_EQ(packets[0].next, &packets[1]);
  EXPECT_EQ(packets[1].next, &packets[2]);
}

// A head may go on either channel. One has room at 500; what is promised of the other later may come before
// that, so it is waited for, too.
TEST(Output, ACreditOfTheOtherChannelIsWaitedForToo) {
  std::array<Channel, 2> channels{Channel(100), Channel(100)};
  OutputParams params;
  params.bytes_per_s = 1;
  Output output(params);
  output.channels = channels.data();
  for (Channel& each : channels) each.credits.take(100);
  Queue waiting;
  waiting.wire_bytes = 80;
  waiting.vcs = {0, 2};
  channels[0].credits.give_back(100, 500);
  EXPECT_EQ(output.earliest_start(waiting), 500U);
  EXPECT_EQ(channels[0].needed, 0U);
  EXPECT_EQ(channels[1].needed, 80U);
  EXPECT_EQ(output.starved_vcs, 1U << 1);
  channels[1].credits.give_back(100, 400);
  EXPECT_EQ(output.earliest_start(waiting), 400U);
}

}  // namespace
}  // namespace wafertlm::cut_through
