// SPDX-License-Identifier: Apache-2.0
// Signals of links, read back from the file.
#include "waveforms/link_waves.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace wafertlm {
namespace {

using List = std::vector<std::pair<TimePs, std::uint64_t>>;

Packet packet_of(std::uint32_t source, std::uint32_t destination, std::uint8_t traffic_class) {
  Packet packet;
  packet.source = static_cast<NpuId>(source);
  packet.destination = static_cast<NpuId>(destination);
  packet.traffic_class = static_cast<ClassId>(traffic_class);
  return packet;
}

TEST(LinkWaves, WhatPassesOnTheLinksThatWereAnnounced) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  LinkWaves waves(path);
  waves.add_link(2, PortId{1}, "right");
  waves.add_link(2, PortId{0}, "left");
  waves.add_link(0, PortId{0}, "far");
  waves.sent(2, PortId{1}, packet_of(5, 6, 1), 10, 30);
  waves.sent(2, PortId{0}, packet_of(7, 8, 2), 20, 25);
  waves.sent(2, PortId{1}, packet_of(5, 9, 1), 30, 40);  // at once behind the first
  waves.sent(2, PortId{1}, packet_of(4, 9, 3), 50, 60);
  waves.sent(2, PortId{2}, packet_of(1, 1, 1), 60, 70);  // nobody announced these
  waves.sent(1, PortId{0}, packet_of(1, 1, 1), 60, 70);
  waves.sent(0, PortId{1}, packet_of(1, 1, 1), 60, 70);
  waves.sent(3, PortId{0}, packet_of(1, 1, 1), 60, 70);
  waves.finish(100);
  EXPECT_EQ(test::vcd_signals(path),
            (std::vector<std::string>{"far.busy[1]", "far.class[4]", "far.source[32]", "far.destination[32]",
                                      "left.busy[1]", "left.class[4]", "left.source[32]",
                                      "left.destination[32]", "right.busy[1]", "right.class[4]",
                                      "right.source[32]", "right.destination[32]"}));
  test::VcdChanges changes = test::read_vcd(path);
  EXPECT_EQ(changes["right.busy"], (List{{10, 1}, {40, 0}, {50, 1}, {60, 0}}));
  EXPECT_EQ(changes["right.class"], (List{{10, 1}, {50, 3}}));
  EXPECT_EQ(changes["right.source"], (List{{10, 5}, {50, 4}}));
  EXPECT_EQ(changes["right.destination"], (List{{10, 6}, {30, 9}}));
  EXPECT_EQ(changes["left.busy"], (List{{20, 1}, {25, 0}}));
  EXPECT_EQ(changes["left.source"], (List{{20, 7}}));
  EXPECT_EQ(changes["left.destination"], (List{{20, 8}}));
  EXPECT_EQ(changes["left.class"], (List{{20, 2}}));
  EXPECT_EQ(changes["far.busy"], List{});
}

// The thread gets them in chunks.
TEST(LinkWaves, ManyPackets) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  LinkWaves waves(path);
  waves.add_link(0, PortId{0}, "link");
  List busy, source;
  for (std::uint32_t i = 1; i <= 20'000; ++i) {
    const TimePs at = TimePs{i} * 10;
    waves.sent(0, PortId{0}, packet_of(i, 0, 0), at, at + 4);
    busy.insert(busy.end(), {{at, 1}, {at + 4, 0}});
    source.emplace_back(at, i);
  }
  waves.finish(1'000'000);
  test::VcdChanges changes = test::read_vcd(path);
  EXPECT_EQ(changes["link.busy"], busy);
  EXPECT_EQ(changes["link.source"], source);
}

}  // namespace
}  // namespace wafertlm
