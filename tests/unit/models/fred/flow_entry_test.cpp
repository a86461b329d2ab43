// SPDX-License-Identifier: Apache-2.0
// What the RTL switch stores of a flow, word by word.
#include "models/fred/rtl/flow_entry.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/fred/flows/fred_flow_params.h"
#include "models/fred/flows/routed_order.h"
#include "models/fred/routing/router.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

FredFlowEntry small_entry() {
  FredFlowEntry entry;
  entry.flow = {{0, 4, 31}, {1, 3}};
  entry.way = {2, 15, 1};
  entry.priority = 0x105;  // 8 bits of it
  entry.packets = 0xffff'ffff;
  return entry;
}

TEST(FredFlowEntry, IsFiveWords) {
  const auto words = [](const FredFlowEntry& entry) {
    std::vector<std::pair<int, std::uint32_t>> list;
    for (const FredFlowEntry::Word& word : entry.words()) list.emplace_back(word.number, word.value);
    return list;
  };
  using Words = std::vector<std::pair<int, std::uint32_t>>;
  FredFlowEntry entry = small_entry();
  EXPECT_EQ(words(entry), (Words{{0, 0x8000'0011}, {1, 0xa}, {3, 0x1f2}, {4, 0xffff'ffff}, {2, 0x105}}));
  entry.priority = 7;
  entry.data_type = DataType::bf16;
  entry.from_above = 4;
  entry.packets = 3;
  entry.way = {};
  EXPECT_EQ(words(entry), (Words{{0, 0x8000'0011}, {1, 0xa}, {3, 0}, {4, 3}, {2, 0x5'0307}}));
}

TEST(FredFlowEntry, RefusesWhatTheRtlCannotStore) {
  const auto refusal = [](auto change) {
    FredFlowEntry entry = small_entry();
    change(entry);
    return test::refusal_of([&] { entry.words(); });
  };
  using E = FredFlowEntry;
  EXPECT_EQ(refusal([](E& entry) { entry.way.resize(8); }), "");
  EXPECT_EQ(refusal([](E& entry) { entry.way.resize(9); }), "more than 8 levels of middle switches");
  EXPECT_EQ(refusal([](E& entry) { entry.packets = std::uint64_t{1} << 32; }),
            "4294967296 packets of a flow: the RTL counts 2^32");
  EXPECT_EQ(refusal([](E& entry) { entry.way[1] = 16; }), "more than 16 middle switches");
  EXPECT_EQ(refusal([](E& entry) { entry.flow.outputs[0] = 32; }),
            "port 32: the RTL switch has at most 32 ports");
}

// FRED_2(8) has two levels of middle switches. Ports 0 and 1 share a µswitch, so the flows are in different
// ones.
TEST(FredFlowEntry, TheWayIsTheMiddleSwitchOfEachLevel) {
  const FredNetwork network(2, 8);
  const std::vector<FredFlow> flows = {{{0}, {0}}, {{1, 6}, {4, 7}}, {{2}, {2}}};
  const FredRouting routing = FredRouter(network).route(flows);
  ASSERT_TRUE(routing.routed());
  const auto way = [&](const FredFlow& flow) { return way_of(network, routing.configuration, flow); };
  using Way = std::vector<std::uint32_t>;
  EXPECT_EQ(way(flows[0]), (Way{0, 0}));
  EXPECT_EQ(way(flows[1]), (Way{1, 0}));
  EXPECT_EQ(way(flows[2]), (Way{0, 1}));  // beside the first one, in the other switch at the centre
  EXPECT_EQ(test::refusal_of([&] {
              way({{3}, {3}});
            }),
            "the configuration does not carry flow 3->3: in1 does not take it");
  EXPECT_EQ(way_of(FredNetwork(2, 3), {}, {{1}, {1}}), Way());
}

// Neighbours on a µswitch first: positions 1 and 2 are the ports 4 and 5.
TEST(RoutedOrder, IsTheOneOfTheSwitches) {
  RoutedOrder order(2, 8);
  const auto text_of = [&](const std::vector<std::uint32_t>& inputs) {
    std::string text;
    for (const Addition& addition : order.of(inputs, {3}))
      text += std::to_string(addition.into) + "+" + std::to_string(addition.from) + " ";
    return text;
  };
  EXPECT_EQ(text_of({2, 4, 5}), "1+2 0+1 ");
  EXPECT_EQ(text_of({2, 4, 5}), "1+2 0+1 ");  // known by then
  EXPECT_EQ(text_of({0, 1, 2, 3, 4, 7}), "0+1 2+3 0+2 4+5 0+4 ");
  EXPECT_EQ(text_of({6}), "");
}

// 2 B/ps, 1000 ps of round trip: 2000 B are under way, and two packets of 100 B, over each of the ways.
TEST(FredFlowParams, GiveRoomForFlows) {
  WireFormat format;
  format.packet_bytes = 100;
  OutputParams link;
  link.bytes_per_s = 2'000'000'000'000;
  const auto rooms = [&](const FredFlowParams& params, std::uint32_t ways = 1) {
    params.give_credits(link, 1000, format, ways);
    return std::pair(link.flow_credit_bytes, link.flow_buffer_bytes);
  };
  using Rooms = std::pair<std::uint64_t, std::uint64_t>;
  FredFlowParams params;
  params.per_buffer = 3;
  EXPECT_EQ(rooms(params), (Rooms{2200, 3 * 2200}));
  EXPECT_EQ(rooms(params, 4), (Rooms{2800, 3 * 2800}));
  // Streams of a tenth of the rate: four packets and 200 B each.
  params.streams = 20;
  params.stream_bytes_per_s = 200'000'000'000;
  EXPECT_EQ(rooms(params), (Rooms{2200, 20 * 600}));
  params.striped = true;
  EXPECT_EQ(rooms(params), (Rooms{2200, 20 * 2200}));
  params.credit_packets = 5;
  EXPECT_EQ(rooms(params), (Rooms{500, 3 * 500}));
  EXPECT_EQ(rooms(params, 2), (Rooms{1000, 3 * 1000}));
}

}  // namespace
}  // namespace wafertlm
