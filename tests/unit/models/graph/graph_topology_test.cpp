// SPDX-License-Identifier: Apache-2.0
// A graph's answers against its routes, walked link by link.
#include "models/graph/graph_topology.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace wafertlm
