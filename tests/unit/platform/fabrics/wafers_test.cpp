// SPDX-License-Identifier: Apache-2.0
// Routes between wafers: through a controller, round the ring the shorter way or through the outer switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "platform/spec/fabric_kinds.h"
#include "tests/collectives/simulated.h"
#include "tlm/shape/link_graph.h"

namespace wafertlm {
namespace {

/// The places on a route, from the first link's beginning to the last one's end.
std::vector<std::string> places(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  std::vector<std::string> list;
  for (const std::size_t link : topology.route(static_cast<NpuId>(from), static_cast<NpuId>(to))) {
    const std::string name = topology.link_name(link);
    const std::size_t arrow = name.find("->");
    if (list.empty()) list.push_back(name.substr(0, arrow));
    EXPECT_EQ(list.back(), name.substr(0, arrow));
    list.push_back(name.substr(arrow + 2));
  }
  return list;
}

std::string wafer_of(const std::string& place) { return place.substr(0, place.find('_')); }

/// The wafers that a route passes, one after the other.
std::vector<std::string> wafers(const std::vector<std::string>& route) {
  std::vector<std::string> list;
  for (const std::string& place : route)
    if (place.rfind("wafer", 0) == 0 && (list.empty() || list.back() != wafer_of(place)))
      list.push_back(wafer_of(place));
  return list;
}

std::string wafer(std::uint32_t number) { return "wafer" + std::to_string(number); }

TEST(Wafers, TheShorterWayRoundAndHalfOfTheOppositeOnesEachWay) {
  for (const std::uint32_t count : {2U, 3U, 4U, 5U, 6U}) {
    const FabricTraits traits = platform_traits(test::preset(
        "wafers_4_mesh_5x4", {"wafer.outer.topology=ring", "wafer.outer.wafers=" + std::to_string(count)}));
    std::uint32_t upwards = 0;
    for (std::uint32_t from = 0; from < count; ++from)
      for (std::uint32_t to = 0; to < count; ++to) {
        if (from == to) continue;
        const std::uint32_t up = (to + count - from) % count, down = count - up;
        const auto passed = wafers(places(*traits.topology, 20 * from + 3, 20 * to + 3));
        ASSERT_EQ(passed.size(), std::min(up, down) + 1) << from << " to " << to << " of " << count;
        EXPECT_EQ(passed.front(), wafer(from));
        EXPECT_EQ(passed.back(), wafer(to));
        const bool goes_up = passed[1] == wafer((from + 1) % count);
        if (count == 2) continue;
        EXPECT_EQ(goes_up, up == down ? from % 2 == 0 : up < down) << from << " to " << to << " of " << count;
        if (goes_up) ++upwards;
      }
    EXPECT_EQ(upwards, count == 2 ? 0 : count * (count - 1) / 2);  // as many as downwards
  }
}

/// Of three wafers with links of 120 GB/s, unless `keys` say otherwise.
FabricDimension outer_dimension(const std::string& topology, std::vector<std::string> keys = {}) {
  keys.insert(keys.begin(),
              {"wafer.outer.topology=" + topology, "wafer.outer.wafers=3", "wafer.outer.bandwidth=120 GB/s"});
  const FabricTraits traits = platform_traits(test::preset("wafers_4_mesh_5x4", keys));
  const Dimensions& dimensions = traits.topology->dimensions();
  EXPECT_EQ(dimensions.count(), 3U);
  EXPECT_EQ(dimensions.npus(), 60U);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(dimensions[d].kind, FabricDimension::Kind::line);
    EXPECT_EQ(dimensions[d].size, 5 - d);
    EXPECT_EQ(dimensions[d].bytes_per_s, 750'000'000'000U);
    EXPECT_EQ(dimensions[d].latency_ps, 20'000U);
  }
  EXPECT_EQ(dimensions[2].size, 3U);
  return dimensions[2];
}

// Links of 750 GB/s and 20 ns; 18 controllers of 128 GB/s and 20 ns for 20 NPUs, so that two share one;
// cables of 500 ns. A cable between wafers has a controller at both ends, one to a switch at one.
TEST(Wafers, DimensionsAreColumnsRowsAndWafers) {
  using Kind = FabricDimension::Kind;
  const FabricDimension ring = outer_dimension("ring"), switched = outer_dimension("switch"),
                        direct = outer_dimension("direct");
  EXPECT_EQ(ring.kind, Kind::ring);
  EXPECT_EQ(switched.kind, Kind::switched);
  EXPECT_EQ(direct.kind, Kind::fully_connected);
  EXPECT_EQ(ring.bytes_per_s, 60'000'000'000U);
  EXPECT_EQ(switched.bytes_per_s, 60'000'000'000U);
  EXPECT_EQ(direct.bytes_per_s, 32'000'000'000U) << "two links share the 128 GB/s of their controller";
  EXPECT_EQ(ring.latency_ps, 540'000U);
  EXPECT_EQ(switched.latency_ps, 520'000U);
  EXPECT_EQ(direct.latency_ps, 540'000U);
}

// 8 + 12 + 14 + 20 + 8 + 12 + 4 + 4 = 82 B of headers.
TEST(Wafers, HeadersOfFramesTakeTheirPartOfTheRate) {
  const auto rate = [](const std::string& ethernet) {
    return outer_dimension("ring", {"wafer.outer.ethernet=" + ethernet}).bytes_per_s;
  };
  EXPECT_EQ(rate("{}"), 120'000'000'000U * 4096 / (4096 + 82) / 2);
  EXPECT_EQ(rate("{mtu: 1024 B}"), 120'000'000'000U * 1024 / (1024 + 82) / 2);
  EXPECT_EQ(rate("{mtu: 1024 B, vlan: true}"), 120'000'000'000U * 1024 / (1024 + 86) / 2);
  EXPECT_EQ(rate("{mtu: 1024 B, ipv6: true}"), 120'000'000'000U * 1024 / (1024 + 102) / 2);
  EXPECT_EQ(outer_dimension("switch", {"wafer.outer.ethernet={switch_latency: 300 ns}"}).latency_ps,
            670'000U);
}

TEST(Wafers, DirectLinksPassNoThirdWafer) {
  const FabricTraits traits =
      platform_traits(test::preset("wafers_4_mesh_5x4", {"wafer.outer.topology=direct"}));
  for (std::uint32_t from = 0; from < 80; ++from)
    for (std::uint32_t to = 0; to < 80; ++to) {
      if (from / 20 == to / 20) continue;
      ASSERT_EQ(wafers(places(*traits.topology, from, to)),
                (std::vector<std::string>{wafer(from / 20), wafer(to / 20)}));
    }
}

// Of NPUs with the same place on their wafers; the controllers that carry them are shared out.
TEST(Wafers, ThroughTheOuterSwitchAndTheSameControllerOnBothSides) {
  const FabricTraits traits = platform_traits(test::preset("wafers_4_mesh_5x4", {}));
  std::set<std::string> controllers;
  for (std::uint32_t npu = 0; npu < 20; ++npu) {
    const auto route = places(*traits.topology, 20 + npu, 60 + npu);
    EXPECT_EQ(wafers(route), (std::vector<std::string>{"wafer1", "wafer3"}));
    std::vector<std::string> used;
    for (const std::string& place : route)
      if (const std::size_t at = place.find("_io"); at != std::string::npos) used.push_back(place.substr(at));
    ASSERT_EQ(used.size(), 2U);
    EXPECT_EQ(used[0], used[1]);
    controllers.insert(used[0]);
    EXPECT_EQ(std::set<std::string>(route.begin(), route.end()).size(), route.size());
  }
  EXPECT_GE(controllers.size(), 10U);
}

// Of each link whose ends are on different wafers; switches between wafers are dealt out to them.
TEST(Wafers, TheLookaheadIsTheLeastLatencyOfALinkBetweenTwo) {
  for (const char* const shape : {"ring", "switch"}) {
    const config::PlatformSpec spec =
        test::preset("wafers_4_mesh_5x4", {std::string("wafer.outer.topology=") + shape});
    const Wafers wafers = fabric_kind(spec.wafer).wafers(spec.wafer);
    EXPECT_EQ(wafers.count, 4U);
    ASSERT_EQ(wafers.of_npu.size(), 80U);
    for (std::uint32_t npu = 0; npu < 80; ++npu) EXPECT_EQ(wafers.of_npu[npu], npu / 20);
    const FabricTraits traits = platform_traits(spec);
    const std::vector<std::string> vertices = links_of(*traits.topology)->link_graph().vertices;
    const auto on = [&](const std::string& name) {
      if (name.rfind("wafer", 0) == 0) return static_cast<std::size_t>(std::stoul(name.substr(5)));
      if (name.rfind("npu", 0) == 0) return static_cast<std::size_t>(std::stoul(name.substr(3)) / 20);
      return static_cast<std::size_t>(std::find(vertices.begin(), vertices.end(), name) - vertices.begin()) %
             4;
    };
    TimePs least = kNever;
    for (std::size_t link = 0; link < traits.topology->links(); ++link) {
      const std::string name = traits.topology->link_name(link);
      const std::size_t arrow = name.find("->");
      if (on(name.substr(0, arrow)) != on(name.substr(arrow + 2)))
        least = std::min(least, traits.topology->link(link).head_ps);
    }
    EXPECT_EQ(wafers.lookahead_ps, least) << shape;
    EXPECT_EQ(least, 500'000U) << shape;
  }
}

}  // namespace
}  // namespace wafertlm
