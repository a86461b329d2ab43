// SPDX-License-Identifier: Apache-2.0
#include "tlm/packets/class_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

std::string error_of(std::vector<TrafficClass> classes, std::uint32_t virtual_channels, bool flows = false) {
  return test::refusal_of([&] { ClassTable(std::move(classes), virtual_channels, flows); });
}

TEST(ClassTable, ServesHighPriorityFirstAndUnusedChannelsLast) {
  const ClassTable table({{"low", 0, 2, 1}, {"high", 3, 1, 7}, {"also_low", 1, 1, 1}}, 6);
  const std::vector<std::vector<VcId>> expected{{VcId{3}}, {VcId{0}, VcId{1}}, {VcId{2}, VcId{4}, VcId{5}}};
  std::vector<std::vector<VcId>> order;
  for (const ServiceGroup& group : table.service_order()) {
    order.emplace_back(group.vcs.begin(), group.vcs.begin() + group.size);
    std::uint32_t mask = 0;
    for (const VcId vc : order.back()) mask |= 1U << index_of(vc);
    EXPECT_EQ(group.mask, mask);
  }
  EXPECT_EQ(order, expected);
  EXPECT_EQ(table.find("also_low"), ClassId{2});
  EXPECT_EQ(table[ClassId{1}].name, "high");
}

TEST(ClassTable, NamesWhatIsWrong) {
  EXPECT_EQ(error_of({}, 4), "0 traffic classes: 1 to 8 are possible");
  EXPECT_EQ(error_of(std::vector<TrafficClass>(9, {"x", 0, 1, 0}), 4),
            "9 traffic classes: 1 to 8 are possible");
  EXPECT_EQ(error_of({{"a", 0, 1, 0}}, 0), "0 virtual channels: 1 to 16 are possible");
  EXPECT_EQ(error_of({{"a", 0, 1, 0}}, 17), "17 virtual channels: 1 to 16 are possible");
  EXPECT_EQ(error_of({{"a", 3, 2, 0}}, 4), "class a: needs virtual channels 3 to 4 of 4");
  EXPECT_EQ(error_of({{"a", 0, 2, 1}, {"b", 1, 1, 2}}, 4),
            "classes a and b share virtual channel 1 but not a priority");
  EXPECT_EQ(error_of({{"a", 0, 16, 0}}, 16), "");
  EXPECT_EQ(error_of({{"a", 2, 2, 0}}, 4), "");
  EXPECT_EQ(error_of(std::vector<TrafficClass>(8, {"x", 0, 1, 0}), 4), "");
  EXPECT_EQ(error_of({{"a", 0, 1, 0}}, 8, true), "");
  EXPECT_EQ(error_of({{"a", 0, 1, 0}}, 9, true),
            "9 virtual channels: in-network flows need as many again, and there are at most 16");
  EXPECT_EQ(test::refusal_of([] {
              ClassTable({{"mp", 0, 1, 0}, {"dp", 1, 1, 0}}, 2).find("pp");
            }),
            "no traffic class 'pp'; there are mp, dp");
}

// Channel n + 3 is that of the flows of the class that begins at n, and has its priority.
TEST(ClassTable, FlowsHaveChannelsOfTheirOwn) {
  const ClassTable table({{"low", 0, 2, 1}, {"high", 2, 1, 7}}, 3, true);
  EXPECT_TRUE(table.has_flows());
  EXPECT_EQ(table.virtual_channels(), 6U);
  EXPECT_EQ(table.flow_vc(ClassId{1}), VcId{5});
  EXPECT_FALSE(table.is_flow_channel(2));
  EXPECT_TRUE(table.is_flow_channel(3));
  const auto range = [&](std::uint8_t id, bool in_flow) {
    const ChannelRange& of = table.channels_of(static_cast<ClassId>(id), in_flow);
    return std::pair<int, int>(of.first, of.count);
  };
  EXPECT_EQ(range(0, false), std::pair(0, 2));
  EXPECT_EQ(range(1, false), std::pair(2, 1));
  EXPECT_EQ(range(0, true), std::pair(3, 1));
  EXPECT_EQ(range(1, true), std::pair(5, 1));
  std::vector<std::uint32_t> masks;
  for (const ServiceGroup& group : table.service_order()) masks.push_back(group.mask);
  EXPECT_EQ(masks, (std::vector<std::uint32_t>{1U << 2 | 1U << 5, 1U << 0 | 1U << 1 | 1U << 3 | 1U << 4}));
}

// Found by reading: the sum of two large numbers must not wrap round.
TEST(ClassTable, RefusesNumbersThatWrapRound) {
  EXPECT_EQ(error_of({{"a", 0xFFFFFFFFU, 2, 0}}, 4),
            "class a: needs virtual channels 4294967295 to 4294967296 of 4");
  EXPECT_EQ(error_of({{"a", 0, 0, 0}}, 4), "class a: needs at least one virtual channel");
}

}  // namespace
}  // namespace wafertlm
