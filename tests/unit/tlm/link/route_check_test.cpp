// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/route_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>
#include <stdexcept>

#include "models/mesh/mesh_geometry.h"

namespace wafertlm {
namespace {

/// Switch `here` of a ring: port 0 clockwise, port 1 to the NPU.
struct RingRoutes final : RouteFunction {
  explicit RingRoutes(std::size_t position) : here(position) {}
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination) == here ? 1 : 0);
  }
  std::size_t here;
};

/// A ring of n switches in one direction.
struct Ring {
  explicit Ring(std::size_t n) : check(n) {
    for (std::size_t i = 0; i < n; ++i) routes.emplace_back(i);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t next = (i + 1) % n;
      check.add_switch(i, routes[i]);
      check.add_link("ring" + std::to_string(i) + "->" + std::to_string(next), i, PortId{0}, next);
      check.add_exit("exit" + std::to_string(i), i, PortId{1});
    }
  }
  std::deque<RingRoutes> routes;
  RouteCheck check;
};

TEST(RouteCheck, ARingOfFourWithoutADatelineHasItsFourLinksAsCycle) {
  const Ring ring(4);
  std::vector<std::string> cycle = ring.check.find_cycle(4);
  ASSERT_EQ(cycle.size(), 4U);
  // In order, wherever it begins: each link starts where the one before ended.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(cycle[i].back(), cycle[(i + 1) % 4][4]) << cycle[i];
  try {
    ring.check.require_no_cycle(4);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
    std::string expected;
    for (const std::string& link : cycle) expected += link + " → ";
    EXPECT_NE(std::string(error.what()).find(expected + cycle.front()), std::string::npos) << error.what();
  }
}

// From switch 0 to 1 no link follows another; from all to all they follow each other in a ring.
TEST(RouteCheck, WalksTheRoutesOfTheSourcesIfThereAreAny) {
  Ring ring(4);
  ring.check.add_source(NpuId{0}, 0, 3);
  EXPECT_TRUE(ring.check.find_cycle(2).empty());
  for (std::uint32_t at = 1; at < 4; ++at) ring.check.add_source(static_cast<NpuId>(at), at, 1);
  EXPECT_EQ(ring.check.find_cycle(4).size(), 4U);
}

/// A lane is a port; there are two.
TEST(RouteCheck, WalksEveryLane) {
  struct ByLane final : RouteFunction {
    PortId output_for(const Packet& packet) const override { return static_cast<PortId>(packet.lane); }
  };
  const ByLane routes;
  RouteCheck check(1);
  check.add_switch(0, routes);
  check.add_exit("a", 0, PortId{0});
  check.add_exit("b", 0, PortId{1});
  check.add_source(NpuId{0}, 0, 2);
  EXPECT_TRUE(check.find_cycle(2).empty());
  check.add_source(NpuId{0}, 0, 3);
  EXPECT_THROW(check.find_cycle(2), std::logic_error);
}

TEST(RouteCheck, ARingOfTwoCannotDeadlock) {
  const Ring ring(2);  // no route crosses two links
  EXPECT_TRUE(ring.check.find_cycle(2).empty());
}

/// Y-X routing of one router: with X-Y at its neighbours the turns can close a cycle.
struct YxRoutes final : RouteFunction {
  YxRoutes(const MeshGeometry& mesh, NpuId at) : geometry(mesh), here(at) {}
  PortId output_for(const Packet& packet) const override {
    const NpuId to = packet.destination;
    Direction side = Direction::local;
    if (geometry.row(to) != geometry.row(here))
      side = geometry.row(to) > geometry.row(here) ? Direction::south : Direction::north;
    else if (geometry.column(to) != geometry.column(here))
      side = geometry.column(to) > geometry.column(here) ? Direction::east : Direction::west;
    std::uint32_t port = 0;
    for (const Direction direction : geometry.ports(here)) {
      if (direction == side) break;
      ++port;
    }
    return static_cast<PortId>(port);
  }
  const MeshGeometry& geometry;
  NpuId here;
};

std::vector<std::string> cycle_of_mesh(std::uint32_t width, std::uint32_t height,
                                       const std::set<std::size_t>& y_first) {
  const MeshGeometry geometry(width, height);
  std::deque<XyRouting> xy;
  std::deque<YxRoutes> yx;
  RouteCheck check(geometry.npus());
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    xy.emplace_back(geometry, here);
    yx.emplace_back(geometry, here);
    if (y_first.count(n))
      check.add_switch(n, yx[n]);
    else
      check.add_switch(n, xy[n]);
    std::uint32_t port = 0;
    for (const Direction side : geometry.ports(here)) {
      const auto output = static_cast<PortId>(port++);
      if (side == Direction::local) {
        check.add_exit("exit" + std::to_string(n), n, output);
        continue;
      }
      const auto to = index_of(geometry.neighbor(here, side));
      check.add_link(std::to_string(n) + "->" + std::to_string(to), n, output, to);
    }
  }
  return check.find_cycle(geometry.npus());
}

TEST(RouteCheck, XyRoutesHaveNoCycle) {
  for (std::uint32_t width = 1; width <= 9; ++width)
    for (std::uint32_t height = 1; height <= 9; ++height)
      EXPECT_TRUE(cycle_of_mesh(width, height, {}).empty()) << width << " x " << height;
}

TEST(RouteCheck, YFirstAloneHasNoCycleButMixedTurnsHave) {
  EXPECT_TRUE(cycle_of_mesh(2, 2, {0, 1, 2, 3}).empty());
  // 0 and 3 go along the row first, 1 and 2 down or up the column first: all four turns of a circle.
  const auto from = [](std::vector<std::string> cycle, const std::string& first) {
    std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), first), cycle.end());
    return cycle;
  };
  EXPECT_EQ(from(cycle_of_mesh(2, 2, {1, 2}), "0->1"),
            (std::vector<std::string>{"0->1", "1->3", "3->2", "2->0"}));
  EXPECT_EQ(from(cycle_of_mesh(2, 2, {0, 3}), "0->2"),
            (std::vector<std::string>{"0->2", "2->3", "3->1", "1->0"}));
}

TEST(RouteCheck, ARouteWithoutALinkIsNamed) {
  const RingRoutes routes(0);
  RouteCheck check(1);
  check.add_switch(0, routes);
  check.add_exit("exit", 0, PortId{1});
  try {
    check.find_cycle(2);
    FAIL() << "no exception";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "the route to NPU 1 leaves switch 0 through port 0, which has no link");
  }
}

}  // namespace
}  // namespace wafertlm
