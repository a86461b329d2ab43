// SPDX-License-Identifier: Apache-2.0
// NPUs 0 and 1 hang on the switch 4 (s), NPU 2 on the switch 5 (t), NPU 3 is joined to both switches.
#include "tlm/shape/fabric_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/support/random_cases.h"
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

constexpr std::uint32_t kFar = ~0U;

/// Links from each vertex to `to`, found backwards and breadth first over lists that this makes itself.
std::vector<std::uint32_t> links_to(std::uint32_t to, std::size_t vertices, const Links& links) {
  std::vector<std::uint32_t> distance(vertices, kFar);
  distance[to] = 0;
  for (std::uint32_t step = 0; step < vertices; ++step)
    for (const FabricGraph::Link& link : links)
      if (distance[link.to] == step && distance[link.from] == kFar) distance[link.from] = step + 1;
  return distance;
}

/// Up to 40 vertices, every one of which reaches every other: a circle and more links, in any order.
struct RandomGraph {
  explicit RandomGraph(std::mt19937_64& random)
      : npus(static_cast<std::uint32_t>(2 + random() % 12)), vertices(npus + random() % 29) {
    std::vector<std::uint32_t> circle(vertices.size());
    std::iota(circle.begin(), circle.end(), 0U);
    std::shuffle(circle.begin(), circle.end(), random);
    std::set<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (std::size_t k = 0; k < circle.size(); ++k) ends.emplace(circle[k], circle[(k + 1) % circle.size()]);
    for (std::size_t more = random() % (3 * circle.size()); more != 0; --more) {
      const auto from = circle[random() % circle.size()], to = circle[random() % circle.size()];
      if (from != to) ends.emplace(from, to);
    }
    for (const auto& [from, to] : ends) links.push_back({from, to, 100, 1 + random() % 9, 0, false});
    std::shuffle(links.begin(), links.end(), random);
    for (std::size_t n = 0; n < vertices.size(); ++n) vertices[n].name = "v" + std::to_string(n);
  }
  /// From an NPU over random links to no vertex twice, until another NPU is met by chance; empty: it was not.
  Way random_way(std::mt19937_64& random) const {
    Way way{static_cast<std::uint32_t>(random() % npus)};
    for (;;) {
      Way next;
      for (const FabricGraph::Link& link : links)
        if (link.from == way.back() && std::find(way.begin(), way.end(), link.to) == way.end())
          next.push_back(link.to);
      if (next.empty()) return {};
      way.push_back(next[random() % next.size()]);
      if (way.back() < npus && random() % 2 == 0) return way;
    }
  }
  std::uint32_t npus;
  std::vector<FabricGraph::Vertex> vertices;
  Links links;
};

TEST(FabricGraph, RandomOnesLeadOverTheFirstOfTheShortestLinksOrAsGiven) {
  std::mt19937_64 random(17);
  for (int number = test::random_cases(60, 10); number != 0; --number) {
    const RandomGraph made(random);
    std::map<std::pair<std::uint32_t, std::uint32_t>, Way> given;
    for (std::size_t more = number % 2 == 0 ? 0 : random() % 12; more != 0; --more)
      if (const Way way = made.random_way(random); !way.empty())
        given.try_emplace({way.front(), way.back()}, way);
    Routes routes;
    for (const auto& [ends, way] : given) routes.push_back(way);
    const FabricGraph graph(made.npus, made.vertices, made.links, FabricGraph::Shortest::hops, routes);
    for (std::uint32_t to = 0; to < made.npus; ++to) {
      const std::vector<std::uint32_t> distance = links_to(to, made.vertices.size(), made.links);
      for (std::uint32_t from = 0; from < made.npus; ++from) {
        if (from == to) continue;
        const auto source = static_cast<NpuId>(from), destination = static_cast<NpuId>(to);
        const auto found = given.find({from, to});
        ASSERT_EQ(graph.has_given_route(source, destination), found != given.end());
        if (found != given.end()) {
          EXPECT_EQ(through(graph, from, to), found->second);
          continue;
        }
        EXPECT_EQ(graph.route(source, destination).size(), distance[from]);
        for (std::uint32_t at = 0; at < made.vertices.size(); ++at) {
          if (at == to) continue;
          std::uint32_t first = 0;
          while (made.links[first].from != at || distance[made.links[first].to] + 1 != distance[at]) ++first;
          ASSERT_EQ(graph.next_link(at, source, destination), first) << at << " to " << to;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wafertlm
