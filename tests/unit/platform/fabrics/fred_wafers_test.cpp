// SPDX-License-Identifier: Apache-2.0
// Several FRED wafers as one graph: switches and links, routes, dimensions, and what keeps them from
// deadlocks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "models/graph/graph_fabric.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/fred/fred_wafers.h"
#include "platform/fabrics/wafers/wafers_graph.h"
#include "platform/fabrics/wafers/wafers_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

using Keys = std::vector<std::string>;

config::PlatformSpec freds(const Keys& keys) { return test::preset("wafers_4_fred_a", keys); }

/// Six L1 switches of two NPUs below three L2 switches.
const Keys kThreeLevels = {"wafer.fabric.l1_switches=6", "wafer.fabric.l2_switches=3",
                           "wafer.fabric.npus_per_l1=2", "wafer.fabric.l2_uplink=1 TB/s",
                           "wafer.fabric.stage_latency=1 ns"};

Keys three_levels(const Keys& more) {
  Keys keys = kThreeLevels;
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

GraphParams graph_of(const config::WaferSpec& wafer) {
  return wafers_params(wafer, dynamic_cast<const WafersKind&>(fabric_kind(wafer)).piece(wafer));
}

std::vector<std::string> way_of(const FabricGraph& graph, std::uint32_t from, std::uint32_t to) {
  std::vector<std::string> list{graph.vertices()[from].name};
  for (const std::uint32_t link : graph.route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
    list.push_back(graph.vertices()[graph.links()[link].to].name);
  return list;
}

/// Up to the first common switch, and down.
std::vector<std::string> within(std::uint32_t wafer, std::uint32_t from_l1, std::uint32_t to_l1) {
  const auto name = [&](int level, std::uint32_t n) {
    return fmt::format("wafer{}_l{}_{}", wafer, level, n);
  };
  if (from_l1 == to_l1) return {name(1, from_l1)};
  const std::uint32_t a = from_l1 / 2, b = to_l1 / 2;
  if (a == b) return {name(1, from_l1), name(2, a), name(1, to_l1)};
  return {name(1, from_l1), name(2, a), name(3, 0), name(2, b), name(1, to_l1)};
}

TEST(FredWafers, WithinAWaferPacketsTurnAtTheFirstCommonSwitch) {
  const GraphParams params = graph_of(freds(three_levels({})).wafer);
  for (std::uint32_t from = 0; from < 48; ++from)
    for (std::uint32_t to = 12 * (from / 12); to < 12 * (from / 12) + 12; ++to) {
      if (from == to) continue;
      std::vector<std::string> expected = within(from / 12, from % 12 / 2, to % 12 / 2);
      expected.insert(expected.begin(), fmt::format("npu{}", from));
      expected.push_back(fmt::format("npu{}", to));
      ASSERT_EQ(way_of(*params.graph, from, to), expected);
    }
}

// As FredTopology has them, also the latencies: an L1 switch has 2 NPUs, one uplink and 3 controllers, an L2
// switch 2 switches below and one uplink, the L3 switch 3.
TEST(FredWafers, LatenciesWithinAWaferAreThoseOfOneWafer) {
  const config::PlatformSpec spec = freds(three_levels({"wafer.fabric.l1_uplink=3 TB/s"}));
  const FabricTraits all = platform_traits(spec);
  config::PlatformSpec alone = spec;
  alone.wafer.outer.reset();
  const FabricTraits one = platform_traits(alone);
  const FredParams fred = fred_params(alone.wafer, true);
  EXPECT_EQ(fred.ports(1), 6U);
  EXPECT_GT(fred.pipeline_ps(1), 0U);
  for (std::uint32_t from = 0; from < 12; ++from)
    for (std::uint32_t to = 0; to < 12; ++to) {
      if (from == to) continue;
      const auto a = static_cast<NpuId>(from), b = static_cast<NpuId>(to);
      const auto c = static_cast<NpuId>(24 + from), d = static_cast<NpuId>(24 + to);
      ASSERT_EQ(all.topology->head_latency_ps(c, d), one.topology->head_latency_ps(a, b));
      ASSERT_EQ(all.topology->path_bytes_per_s(c, d), one.topology->path_bytes_per_s(a, b));
      ASSERT_EQ(all.topology->hops(c, d), one.topology->hops(a, b));
    }
}

// 18 controllers for 20 NPUs: each carries one number or two, through the switch of the same number.
TEST(FredWafers, NpusWithOneNumberShareTheControllersOut) {
  const GraphParams params = graph_of(freds({}).wafer);
  std::map<std::string, int> users;
  for (std::uint32_t npu = 0; npu < 20; ++npu) {
    const auto route = way_of(*params.graph, 20 + npu, 60 + npu);
    const auto out = std::find_if(route.begin(), route.end(),
                                  [](const std::string& place) { return place.find("_io") != place.npos; });
    ASSERT_LT(out - route.begin() + 2, static_cast<std::ptrdiff_t>(route.size()));
    const std::string number = out->substr(std::string("wafer1_io").size());
    EXPECT_EQ(*out, "wafer1_io" + number);
    EXPECT_EQ(out[1], "outer_switch" + number);
    EXPECT_EQ(out[2], "wafer3_io" + number);
    ++users[number];
    // 4, 4, 4, 3, 3 on the L1 switches: only two NPUs find those of their own taken.
    EXPECT_EQ(route.size(), npu == 15 ? 11U : 7U) << npu;
  }
  EXPECT_EQ(users.size(), 18U);
  for (const auto& [number, count] : users) EXPECT_LE(count, 2) << number;
}

// Other pairs go the shortest way; the controllers of an L1 switch take destinations in turn.
TEST(FredWafers, DestinationsTakeEquallyNearControllersInTurn) {
  for (const char* const topology : {"ring", "switch", "direct"}) {
    const config::PlatformSpec spec = freds({std::string("wafer.outer.topology=") + topology});
    const GraphParams params = graph_of(spec.wafer);
    std::map<std::string, int> loads;
    for (std::uint32_t from = 0; from < 20; ++from)
      for (std::uint32_t to = 20; to < 40; ++to) {
        const auto route = way_of(*params.graph, from, to);
        for (const std::string& place : route)
          if (place.rfind("wafer0_io", 0) == 0) ++loads[place];
        if (from + 20 != to) {
          EXPECT_LE(route.size(), 9U + (topology == std::string("switch") ? 1 : 0));
        }
      }
    EXPECT_EQ(loads.size(), 18U) << topology;
    // 400 pairs: 22 for each if they were shared out at best.
    for (const auto& [controller, load] : loads) EXPECT_LE(load, 50) << topology << ' ' << controller;
  }
}

bool can_deadlock(const FabricGraph& graph) {
  try {
    require_no_cycle(graph);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

/// The same without the other half of the channels behind the controllers of a wafer, or behind where a ring
/// of wafers closes.
FabricGraph without_datelines(const FabricGraph& graph, bool of_controllers) {
  std::vector<FabricGraph::Link> links = graph.links();
  std::vector<std::vector<std::uint32_t>> routes;
  for (std::uint32_t from = 0; from < graph.npus(); ++from)
    for (std::uint32_t to = 0; to < graph.npus(); ++to) {
      const auto a = static_cast<NpuId>(from), b = static_cast<NpuId>(to);
      if (from == to || !graph.has_given_route(a, b)) continue;
      routes.push_back({from});
      for (const std::uint32_t link : graph.route(a, b)) routes.back().push_back(links[link].to);
    }
  for (FabricGraph::Link& link : links) {
    const bool is_controllers = graph.vertices()[link.to].name.find("_l1_") != std::string::npos;
    if (is_controllers == of_controllers) link.dateline = false;
  }
  return {graph.npus(), graph.vertices(), links, FabricGraph::Shortest::hops_in_turn, routes};
}

// Two controllers for six L1 switches: what comes in goes up and down to an L1 switch where others go out. A
// ring needs the dateline between wafers, too, if packets go over three or more.
TEST(FredWafers, NothingWaitsInACircleAndBothDatelinesAreNeeded) {
  for (const char* const topology : {"ring", "switch", "direct"}) {
    const config::PlatformSpec spec = freds(three_levels(
        {std::string("wafer.outer.topology=") + topology, "wafer.outer.wafers=5", "wafer.io.controllers=2"}));
    const GraphParams params = graph_of(spec.wafer);
    EXPECT_FALSE(can_deadlock(*params.graph)) << topology;
    EXPECT_TRUE(can_deadlock(without_datelines(*params.graph, true))) << topology;
    EXPECT_EQ(can_deadlock(without_datelines(*params.graph, false)), topology == std::string("ring"));
  }
}

TEST(FredWafers, NothingWaitsInACircleWhateverTheShape) {
  std::mt19937_64 random(5);
  for (int number = 0; number < 60; ++number) {
    const std::uint64_t l2 = 1 + random() % 3, l1 = l2 * (1 + random() % 3);
    static const char* const kTopologies[] = {"ring", "switch", "direct"};
    Keys keys = {fmt::format("wafer.fabric.l1_switches={}", l1),
                 fmt::format("wafer.fabric.l2_switches={}", l2),
                 fmt::format("wafer.fabric.npus_per_l1={}", 1 + random() % 3),
                 fmt::format("wafer.io.controllers={}", 1 + random() % (2 * l1)),
                 fmt::format("wafer.outer.wafers={}", 2 + random() % 5),
                 fmt::format("wafer.outer.topology={}", kTopologies[random() % 3])};
    if (l2 > 1) keys.emplace_back("wafer.fabric.l2_uplink=1 TB/s");
    SCOPED_TRACE(fmt::format("{}", fmt::join(keys, " ")));
    EXPECT_FALSE(can_deadlock(*graph_of(freds(keys).wafer).graph));
  }
}

// NPU 0 beside NPU 1, up to NPU 4, and to other wafers: out of its own L1 switch, or up where all controllers
// hang on another one.
TEST(FredWafers, WindowsAreByTheExitOfTheFirstSwitch) {
  const GraphParams params = graph_of(freds({"wafer.fabric.npus_per_l1=4", "wafer.io.controllers=1"}).wafer);
  const std::vector<std::uint8_t> first = params.exits(NpuId{0}), other = params.exits(NpuId{5});
  ASSERT_EQ(first.size(), 80U);
  EXPECT_EQ(first[1], 0);
  EXPECT_EQ(first[4], 1);
  EXPECT_EQ(first[20], 2);
  EXPECT_EQ(first[79], 2);
  EXPECT_EQ(other[4], 0);
  EXPECT_EQ(other[0], 1);
  EXPECT_EQ(other[25], 1);
}

// 3 TB/s and 20 ns to an L1 switch; four NPUs share 1.5 TB/s up; two controllers of 128 GB/s to an NPU number
// more than they are; to a controller and its cable it is 20 + 20 ns on either side.
TEST(FredWafers, DimensionsAreL1GroupsL1SwitchesAndWafers) {
  using Kind = FabricDimension::Kind;
  const FabricTraits traits = platform_traits(freds({"wafer.outer.topology=ring", "wafer.outer.wafers=3"}));
  const Dimensions& dimensions = traits.topology->dimensions();
  ASSERT_EQ(dimensions.count(), 3U);
  EXPECT_EQ(dimensions.npus(), 60U);
  EXPECT_EQ(dimensions[0].kind, Kind::switched);
  EXPECT_EQ(dimensions[0].size, 4U);
  EXPECT_EQ(dimensions[0].bytes_per_s, 3'000'000'000'000U);
  EXPECT_EQ(dimensions[0].latency_ps, 20'000U);
  EXPECT_EQ(dimensions[1].kind, Kind::switched);
  EXPECT_EQ(dimensions[1].size, 5U);
  EXPECT_EQ(dimensions[1].bytes_per_s, 375'000'000'000U);
  EXPECT_EQ(dimensions[1].latency_ps, 40'000U);
  EXPECT_EQ(dimensions[2].kind, Kind::ring);
  EXPECT_EQ(dimensions[2].size, 3U);
  EXPECT_EQ(dimensions[2].bytes_per_s, 64'000'000'000U);
  EXPECT_EQ(dimensions[2].latency_ps, 580'000U);
}

// An L2 switch's uplink of 1 TB/s has four NPUs below it. Half of the head's way: 1, 2 and 3 links, and
// switches.
TEST(FredWafers, AThirdLevelIsADimensionOfItsOwn) {
  const config::PlatformSpec spec = freds(three_levels({"wafer.outer.ethernet={switch_latency: 300 ns}"}));
  const FredParams fred = fred_params(spec.wafer, true);
  const FabricTraits traits = platform_traits(spec);
  const Dimensions& dimensions = traits.topology->dimensions();
  ASSERT_EQ(dimensions.count(), 4U);
  const std::uint32_t sizes[] = {2, 2, 3, 4};
  const std::uint64_t rates[] = {3'000'000'000'000, 750'000'000'000, 250'000'000'000};
  for (std::size_t d = 0; d < 4; ++d) EXPECT_EQ(dimensions[d].size, sizes[d]);
  for (std::uint32_t d = 0; d < 3; ++d) {
    EXPECT_EQ(dimensions[d].bytes_per_s, rates[d]);
    EXPECT_EQ(dimensions[d].latency_ps, (fred.head_latency_ps(d + 1) + 1) / 2);
  }
  EXPECT_EQ(dimensions[3].latency_ps, 500'000 + 150'000 + 20'000 + 20'000 + fred.pipeline_ps(1));
}

TEST(FredWafers, TheLookaheadIsTheCable) {
  const config::PlatformSpec spec = freds({});
  const Wafers of = fabric_kind(spec.wafer).wafers(spec.wafer);
  EXPECT_EQ(of.count, 4U);
  ASSERT_EQ(of.of_npu.size(), 80U);
  for (std::uint32_t npu = 0; npu < 80; ++npu) EXPECT_EQ(of.of_npu[npu], npu / 20);
  EXPECT_EQ(of.lookahead_ps, 500'000U);
  const GraphParams params = graph_of(spec.wafer);
  ASSERT_EQ(params.wafer_of.size(), params.graph->vertices().size());
  TimePs least = kNever;
  for (const FabricGraph::Link& link : params.graph->links())
    if (params.wafer_of[link.from] != params.wafer_of[link.to]) least = std::min(least, link.latency_ps);
  EXPECT_EQ(least, 500'000U);
  for (std::size_t vertex = 0; vertex < params.wafer_of.size(); ++vertex) {
    const std::string& name = params.graph->vertices()[vertex].name;
    if (name.rfind("wafer", 0) != 0) continue;
    EXPECT_EQ(params.wafer_of[vertex], static_cast<std::uint32_t>(name[5] - '0')) << name;
  }
}

}  // namespace
}  // namespace wafertlm
