// SPDX-License-Identifier: Apache-2.0
// A graph's answers against its routes, walked link by link.
#include "models/graph/graph_topology.h"

#include <gtest/gtest.h>

#include <set>

#include "models/graph/graph_fabric.h"
#include "tests/support/refusal.h"
#include "tests/support/topology_checks.h"

namespace wafertlm {
namespace {

/// NPUs on a tree of switches, with some more links.
std::shared_ptr<const FabricGraph> random_graph(std::mt19937_64& random) {
  const auto npus = static_cast<std::uint32_t>(2 + random() % 10),
             switches = static_cast<std::uint32_t>(1 + random() % 4);
  std::vector<FabricGraph::Vertex> vertices;
  for (std::uint32_t n = 0; n < npus; ++n) vertices.push_back({"npu" + std::to_string(n), 0});
  for (std::uint32_t n = 0; n < switches; ++n)
    vertices.push_back({"sw" + std::to_string(n), random() % 3000});
  std::vector<FabricGraph::Link> links;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  const auto connect = [&](std::uint64_t a, std::uint64_t b) {
    const auto from = static_cast<std::uint32_t>(a), to = static_cast<std::uint32_t>(b);
    if (from == to || !seen.insert(std::minmax(from, to)).second) return;
    const std::uint64_t rate = (1 + random() % 50) * 100'000'000'000ULL;
    links.push_back({from, to, rate, 1 + random() % 5000, 0, false});
    links.push_back({to, from, rate, 1 + random() % 5000, 0, false});
  };
  for (std::uint32_t n = 1; n < switches; ++n) connect(npus + n, npus + random() % n);
  for (std::uint32_t n = 0; n < npus; ++n) connect(n, npus + random() % switches);
  for (std::size_t more = random() % 6; more != 0; --more)
    connect(random() % (npus + switches), random() % (npus + switches));
  return std::make_shared<const FabricGraph>(npus, vertices, links);
}

TEST(GraphTopology, IsLikeItsRoutes) {
  std::mt19937_64 random(11);
  for (int number = 0; number < 60; ++number) {
    const GraphTopology topology(random_graph(random));
    test::expect_like_its_routes(topology, random);
  }
}

TEST(GraphTopology, NeighborsHoldAllThatAreAHopAway) {
  std::mt19937_64 random(12);
  for (int number = 0; number < 60; ++number) {
    const GraphTopology topology(random_graph(random));
    for (std::uint32_t from = 0; from < topology.npus(); ++from) {
      const auto near = topology.neighbors(static_cast<NpuId>(from));
      ASSERT_TRUE(near.has_value());
      const std::set<NpuId> found(near->begin(), near->end());
      for (std::uint32_t to = 0; to < topology.npus(); ++to) {
        const bool is_near =
            from != to && topology.hops(static_cast<NpuId>(from), static_cast<NpuId>(to)) == 1;
        EXPECT_TRUE(!is_near || found.count(static_cast<NpuId>(to)) == 1) << from << " to " << to;
      }
    }
  }
}

/// The same with some of its routes given.
std::shared_ptr<const FabricGraph> with_given_routes(const FabricGraph& graph, std::mt19937_64& random) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t more = random() % 4; more != 0; --more) {
    const auto from = static_cast<std::uint32_t>(random() % graph.npus());
    const auto to = static_cast<std::uint32_t>(random() % graph.npus());
    if (from != to) pairs.emplace(from, to);
  }
  std::vector<std::vector<std::uint32_t>> routes;
  for (const auto& [from, to] : pairs) {
    routes.push_back({from});
    for (const std::uint32_t link : graph.route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
      routes.back().push_back(graph.links()[link].to);
  }
  return std::make_shared<const FabricGraph>(graph.npus(), graph.vertices(), graph.links(),
                                             FabricGraph::Shortest::hops, routes);
}

/// Trees find what a walk over each route finds.
TEST(GraphTopology, AllPairsByTreesAreThoseByRoutes) {
  std::mt19937_64 random(31);
  for (int number = 0; number < 60; ++number) {
    const GraphTopology topology(with_given_routes(*random_graph(random), random));
    Group group;
    for (std::uint32_t npu = 0; npu < topology.npus(); ++npu)
      if (random() % 3 != 0) group.push_back(static_cast<NpuId>(npu));
    const AllPairs by_trees = topology.all_pairs(group), by_routes = topology.Topology::all_pairs(group);
    EXPECT_EQ(by_trees.head_ps, by_routes.head_ps) << number;
    EXPECT_EQ(by_trees.bytes_per_s, by_routes.bytes_per_s) << number;
    const auto trees = topology.link_loads();
    RouteLoads routes(topology);
    trees->add_all_pairs(group, 1000);
    routes.add_all_pairs(group, 1000);
    EXPECT_EQ(trees->busiest_bytes(), routes.busiest_bytes()) << number;
    EXPECT_EQ(trees->busiest_ps(), routes.busiest_ps()) << number;
  }
}

/// Five switches in a ring of one direction, each with an NPU.
FabricGraph ring(std::uint16_t number, bool has_dateline) {
  std::vector<FabricGraph::Vertex> vertices;
  for (const char* const what : {"npu", "sw"})
    for (std::uint32_t n = 0; n < 5; ++n) vertices.push_back({what + std::to_string(n), 10});
  std::vector<FabricGraph::Link> links;
  for (std::uint32_t n = 0; n < 5; ++n) {
    links.push_back({n, 5 + n, 100, 10, 0, false});
    links.push_back({5 + n, n, 100, 10, 0, false});
    links.push_back({5 + n, 5 + (n + 1) % 5, 100, 10, number, has_dateline && n == 4});
  }
  return FabricGraph(5, vertices, links);
}

TEST(GraphFabric, FindsACircleOfLinksUnlessADatelineBreaksIt) {
  const std::string said = test::refusal_of([] { require_no_cycle(ring(0, false)); });
  EXPECT_NE(said.find("the routes can deadlock"), std::string::npos) << said;
  for (std::uint32_t n = 0; n < 5; ++n)
    EXPECT_NE(said.find("sw" + std::to_string(n) + "->sw" + std::to_string((n + 1) % 5)), std::string::npos)
        << said;
  EXPECT_NE(test::refusal_of([] { require_no_cycle(ring(1, false)); }), "");
  EXPECT_EQ(test::refusal_of([] { require_no_cycle(ring(1, true)); }), "");
}

}  // namespace
}  // namespace wafertlm
