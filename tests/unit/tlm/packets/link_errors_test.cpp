// SPDX-License-Identifier: Apache-2.0
#include "tlm/packets/link_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace wafertlm {
namespace {

std::vector<bool> corrupt(const BitErrors& errors, std::uint64_t link, std::size_t packets,
                          std::uint32_t bytes) {
  LinkErrors on(errors, link);
  std::vector<bool> marks;
  for (std::size_t i = 0; i < packets; ++i) {
    Packet packet;
    packet.wire_bytes = bytes;
    on.cross(packet);
    marks.push_back(packet.corrupt);
  }
  return marks;
}

TEST(LinkErrors, HasTheRateOfThePackets) {
  constexpr std::size_t kPackets = 200'000;
  for (const double rate : {1e-5, 1e-6, 1e-7}) {
    const double p = 1 - std::pow(1 - rate, 4096 * 8);
    std::size_t wrong = 0;
    for (const bool mark : corrupt({rate, 7}, 3, kPackets, 4096)) wrong += mark ? 1 : 0;
    const double expected = p * kPackets;
    EXPECT_NEAR(static_cast<double>(wrong), expected, 4 * std::sqrt(expected * (1 - p)) + 1) << rate;
  }
  for (const bool mark : corrupt({0, 7}, 3, 1000, 4096)) EXPECT_FALSE(mark);
}

// How the bits are cut into packets does not matter to where the errors are.
TEST(LinkErrors, CountsBitsNotPackets) {
  const std::vector<bool> small = corrupt({1e-5, 1}, 9, 8000, 512), large = corrupt({1e-5, 1}, 9, 1000, 4096);
  for (std::size_t i = 0; i < large.size(); ++i) {
    bool any = false;
    for (std::size_t k = 0; k < 8; ++k) any = any || small[8 * i + k];
    EXPECT_EQ(large[i], any) << i;
  }
}

TEST(LinkErrors, DependsOnSeedAndLinkAlone) {
  const auto marks = corrupt({1e-5, 1}, 9, 1000, 4096);
  EXPECT_EQ(marks, corrupt({1e-5, 1}, 9, 1000, 4096));
  EXPECT_NE(marks, corrupt({1e-5, 2}, 9, 1000, 4096));
  EXPECT_NE(marks, corrupt({1e-5, 1}, 10, 1000, 4096));
}

TEST(LinkErrors, FlipsTheBitsOfThePayload) {
  LinkErrors on({1e-4, 1}, 0);
  std::size_t marked = 0, changed = 0, flipped = 0;
  for (int i = 0; i < 2000; ++i) {
    Packet packet;
    packet.wire_bytes = 606;  // a header of 6 B
    packet.data = std::vector<std::byte>(600);
    on.cross(packet);
    std::size_t bits = 0;
    for (const std::byte byte : packet.data)
      bits += static_cast<std::size_t>(__builtin_popcount(std::to_integer<unsigned>(byte)));
    EXPECT_TRUE(packet.corrupt || bits == 0);
    marked += packet.corrupt ? 1 : 0;
    changed += bits != 0 ? 1 : 0;
    flipped += bits;
  }
  EXPECT_EQ(on.spoiled(), marked);
  EXPECT_GT(marked, changed);  // some errors are in the header
  EXPECT_NEAR(static_cast<double>(flipped), 2000 * 4800 * 1e-4, 120);
}

}  // namespace
}  // namespace wafertlm
