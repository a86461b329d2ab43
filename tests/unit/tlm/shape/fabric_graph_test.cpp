// SPDX-License-Identifier: Apache-2.0
// NPUs 0 and 1 hang on the switch 4 (s), NPU 2 on the switch 5 (t), NPU 3 is joined to both switches.
#include "tlm/shape/fabric_graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

using Links = std::vector<FabricGraph::Link>;
using Routes = std::vector<std::vector<std::uint32_t>>;

/// Link k has 100 + k B/s.
Links both_ways(const std::vector<std::tuple<std::uint32_t, std::uint32_t, TimePs>>& pairs) {
  Links links;
  for (const auto& [a, b, latency_ps] : pairs)
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      links.push_back({from, to, 100 + links.size(), latency_ps, 0, false});
  return links;
}
Links five() {
  return both_ways({{0, 4, 10}, {1, 4, 20}, {2, 5, 30}, {4, 5, 1000}, {3, 4, 300}, {3, 5, 400}});
}

FabricGraph graph_of(Links links, const Routes& routes = {},
                     FabricGraph::Shortest shortest = FabricGraph::Shortest::latency) {
  return FabricGraph(4, {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"s", 7}, {"t", 8}}, std::move(links),
                     shortest, routes);
}

std::vector<std::uint32_t> through(const FabricGraph& graph, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> vertices{from};
  for (const std::uint32_t link : graph.route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
    vertices.push_back(graph.links()[link].to);
  return vertices;
}
using Way = std::vector<std::uint32_t>;

// From s to t over d it takes 300 + 400 + 8 ps, directly 1000 + 8.
TEST(FabricGraph, RoutesAreTheShortestByLatencyOrHops) {
  const FabricGraph graph = graph_of(five());
  EXPECT_EQ(through(graph, 0, 2), (Way{0, 4, 3, 5, 2}));
  EXPECT_EQ(through(graph, 0, 1), (Way{0, 4, 1}));
  EXPECT_EQ(through(graph, 3, 2), (Way{3, 5, 2}));
  EXPECT_EQ(through(graph_of(five(), {}, FabricGraph::Shortest::hops), 0, 2), (Way{0, 4, 5, 2}));
  EXPECT_EQ(graph.head_latency_ps(NpuId{0}, NpuId{2}), 10U + 7 + 300 + 400 + 8 + 30);
  EXPECT_EQ(graph.shortest_latency_ps(), 10U + 7 + 20);
  // Links between an NPU and its switch are wires.
  EXPECT_EQ(graph.hops(NpuId{0}, NpuId{2}), 2U);
  EXPECT_EQ(graph.hops(NpuId{0}, NpuId{1}), 0U);
  EXPECT_EQ(graph.hops(NpuId{3}, NpuId{0}), 1U);
  EXPECT_EQ(graph.path_bytes_per_s(NpuId{0}, NpuId{2}), 100U);
  EXPECT_EQ(graph.path_bytes_per_s(NpuId{3}, NpuId{1}), 103U);
}

TEST(FabricGraph, WhoHangsOnASwitchBelongsToIt) {
  const FabricGraph graph = graph_of(five());
  EXPECT_TRUE(graph.is_leaf(0));
  EXPECT_FALSE(graph.is_leaf(3));
  EXPECT_FALSE(graph.is_leaf(4));
  EXPECT_EQ(graph.cluster_of(NpuId{1}), 4U);
  EXPECT_EQ(graph.cluster_of(NpuId{2}), 5U);
  EXPECT_EQ(graph.cluster_of(NpuId{3}), 3U);
  using Rates = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(graph.npu_bytes_per_s(NpuId{0}), Rates(100, 101));
  EXPECT_EQ(graph.npu_bytes_per_s(NpuId{3}), Rates(108 + 110, 109 + 111));
  // Of s: to t 106 and to d 109; from them 107 and 108.
  EXPECT_EQ(graph.cluster_bytes_per_s(4), Rates(106 + 109, 107 + 108));
  // Two NPUs that are joined to each other are no leaves.
  const FabricGraph pair(2, {{"a", 0}, {"b", 0}}, both_ways({{0, 1, 5}}));
  EXPECT_FALSE(pair.is_leaf(0));
  EXPECT_EQ(pair.hops(NpuId{0}, NpuId{1}), 1U);
  EXPECT_EQ(pair.cluster_of(NpuId{1}), 1U);
  EXPECT_FALSE(pair.has_rings());
}

// A given route holds in its direction only.
TEST(FabricGraph, GivenRoutesComeFirst) {
  const FabricGraph graph = graph_of(five(), {{0, 4, 5, 2}, {3, 5, 4, 0}});
  EXPECT_EQ(through(graph, 0, 2), (Way{0, 4, 5, 2}));
  EXPECT_EQ(through(graph, 2, 0), (Way{2, 5, 3, 4, 0}));
  EXPECT_EQ(through(graph, 1, 2), (Way{1, 4, 3, 5, 2}));
  EXPECT_EQ(through(graph, 3, 0), (Way{3, 5, 4, 0}));
  EXPECT_EQ(through(graph, 3, 1), (Way{3, 4, 1}));
}

TEST(FabricGraph, RefusesLinksAndRoutesThatAreNone) {
  const auto links = [](FabricGraph::Link more) {
    return test::refusal_of([&] {
      Links all = five();
      all.push_back(more);
      graph_of(all);
    });
  };
  EXPECT_EQ(links({4, 4, 1, 1, 0, false}), "the link from s to s goes nowhere");
  EXPECT_EQ(links({0, 5, 0, 1, 0, false}), "the link from a to t has no bandwidth");
  EXPECT_EQ(links({4, 5, 1, 1, 0, false}), "the link from s to t is there twice");
  EXPECT_EQ(links({0, 5, 1, 1, 0, false}), "");
  const auto route = [](const Routes& routes) { return test::refusal_of([&] { graph_of(five(), routes); }); };
  EXPECT_EQ(route({{0}}), "the route a does not go from an NPU to another");
  EXPECT_EQ(route({{0, 4}}), "the route a s does not go from an NPU to another");
  EXPECT_EQ(route({{4, 0}}), "the route s a does not go from an NPU to another");
  EXPECT_EQ(route({{0, 4, 0}}), "the route a s a does not go from an NPU to another");
  EXPECT_EQ(route({{0, 4, 3, 4, 1}}), "the route a s d s b comes to a place twice");
  EXPECT_EQ(route({{0, 5, 2}}), "the route a t c: there is no link from a to t");
  EXPECT_EQ(route({{0, 4, 5, 2}, {0, 4, 3, 5, 2}}),
            "the route a s d t c: a route between these two is given already");
  EXPECT_EQ(route({{0, 4, 5, 2}, {1, 4, 3, 5, 2}, {2, 5, 4, 0}}), "");
  Links cut = five();
  cut.pop_back();  // t to d
  EXPECT_EQ(test::refusal_of([&] { graph_of(cut); }), "");
  cut.erase(cut.begin() + 7);  // t to s
  EXPECT_EQ(test::refusal_of([&] { graph_of(cut); }), "there is no way from c to a");
}

}  // namespace
}  // namespace wafertlm
