// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wafertlm {
namespace {

RtlStimulus many() {
  RtlStimulus made;
  made.branches.resize(3);
  for (std::uint64_t i = 0; i < 100; ++i) {
    RtlStimulus::Packet packet;
    packet.id = i;
    packet.round = i < 50 ? 0 : 1;
    packet.bytes = 256;
    packet.cycles_per_flit = 3;
    packet.arrivals = {{0, 1000 + i}};
    if (i % 10 == 5) packet.branch = 2;
    made.packets.push_back(packet);
  }
  for (std::uint32_t port = 0; port < 8; ++port) made.stalls.push_back({0, true, port, 2000, 64});
  made.settings = {{1, 0, 1}, {2, 0, 1}};
  made.cycles_before_reset = 333;
  return made;
}
bool has_packet(const RtlStimulus& in, std::uint64_t id) {
  return std::any_of(in.packets.begin(), in.packets.end(), [&](const auto& each) { return each.id == id; });
}

TEST(RtlShrink, KeepsWhatIsNeededAndMakesItSmall) {
  const auto fails = [](const RtlStimulus& with) {
    return has_packet(with, 7) && has_packet(with, 75) && with.cycles_before_reset > 20 &&
           std::any_of(with.stalls.begin(), with.stalls.end(),
                       [](const auto& each) { return each.port == 3 && each.cycles >= 10; });
  };
  const RtlStimulus left = shrink(many(), fails, 2000);
  ASSERT_EQ(left.packets.size(), 2U);
  EXPECT_EQ(left.packets[0].id, 7U);
  EXPECT_EQ(left.packets[1].id, 75U);
  for (const auto& packet : left.packets) {
    EXPECT_EQ(packet.round, 0U);
    EXPECT_EQ(packet.cycles_per_flit, 1U);
    EXPECT_EQ(packet.bytes, 4U);
  }
  EXPECT_EQ(left.packets[0].arrivals[0].cycle, 0U);  // begins at once
  EXPECT_EQ(left.packets[1].arrivals[0].cycle, 68U);
  ASSERT_EQ(left.stalls.size(), 1U);
  EXPECT_EQ(left.stalls[0].port, 3U);
  EXPECT_EQ(left.stalls[0].first, 2000U - 1007U);
  EXPECT_EQ(left.stalls[0].cycles, 16U);  // halved while it fails
  EXPECT_TRUE(left.settings.empty());
  EXPECT_EQ(left.cycles_before_reset, 32U);  // powers of two are tried
  ASSERT_EQ(left.branches.size(), 1U);       // that of packet 75
  EXPECT_EQ(left.packets[1].branch, 0U);
  EXPECT_TRUE(fails(left));
}

TEST(RtlShrink, StopsAfterItsPlaysWithWhatStillFails) {
  for (const std::uint32_t most : {0U, 1U, 10U}) {
    std::uint32_t plays = 0;
    const auto fails = [&](const RtlStimulus& with) {
      ++plays;
      return has_packet(with, 99);
    };
    const RtlStimulus left = shrink(many(), fails, most);
    EXPECT_EQ(plays, most);
    EXPECT_TRUE(has_packet(left, 99));
    EXPECT_EQ(left.packets.size() < 100U, most == 10);
  }
}

}  // namespace
}  // namespace wafertlm
