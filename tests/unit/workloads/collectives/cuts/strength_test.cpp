// SPDX-License-Identifier: Apache-2.0
// The strength of meshes against the rates of Nash-Williams and Tutte worked out by hand, and of random
// graphs against all families of sets.
#include "workloads/collectives/cuts/strength.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/workloads/collectives/bounds/graphs.h"
#include "tlm/kernel/units.h"
#include "workloads/collectives/cuts/undirected.h"

namespace wafertlm::bounds {
namespace {

/// a / b.
struct Ratio {
  Uint128 a = 1, b = 0;
  bool operator<(const Ratio& other) const { return a * other.b < other.a * b; }
  bool operator==(const Ratio& other) const { return a * other.b == other.a * b; }
};

Ratio ratio_of(const Strength& strength) { return {strength.border, 2 * Uint128{strength.parts - 1}}; }

/// In links' worth: both directions of a link are a weight of 2 kMeshLink.
Ratio mesh_rate(std::uint32_t width, std::uint32_t height, const std::set<std::uint32_t>& holes = {}) {
  const LinkGraph mesh = test::bare_mesh(width, height, holes);
  const Ratio ratio = ratio_of(strength(undirected(mesh, test::first_vertices(mesh.npus)).graph));
  return {ratio.a, ratio.b * 2 * test::kMeshLink};
}

// Whole meshes: all their links over one less than their NPUs. The others: exact rational cutting planes
// (reference synthesis.md).
TEST(Strength, OfMeshesIsWhatIsKnown) {
  EXPECT_EQ(mesh_rate(5, 4), (Ratio{31, 19}));
  EXPECT_EQ(mesh_rate(8, 8), (Ratio{112, 63}));
  EXPECT_EQ(mesh_rate(32, 32), (Ratio{1984, 1023}));
  EXPECT_EQ(mesh_rate(5, 4, {7}), (Ratio{3, 2}));
  EXPECT_EQ(mesh_rate(5, 4, {1}), (Ratio{1, 1}));
}

TEST(Strength, OfAMeshWhoseCornerHangsOnOneLinkIsThatLink) {
  const LinkGraph mesh = test::bare_mesh(5, 4, {1});
  const Strength tight = strength(undirected(mesh, test::first_vertices(19)).graph);
  EXPECT_EQ(tight.parts, 2U);
  for (std::uint32_t vertex = 0; vertex < 19; ++vertex)
    EXPECT_EQ(tight.part_of[vertex] == tight.part_of[0], vertex == 0) << vertex;
}

/// The least over all ways to give every terminal a part and every other vertex a part or none.
Ratio least_by_trying(const WeightedGraph& graph) {
  Ratio least;
  std::vector<std::uint32_t> part(graph.vertices);
  const std::set<std::uint32_t> terminals(graph.terminals.begin(), graph.terminals.end());
  std::vector<std::uint32_t> order = graph.terminals;
  for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
    if (terminals.count(vertex) == 0) order.push_back(vertex);
  const std::function<void(std::size_t, std::uint32_t)> place = [&](std::size_t at, std::uint32_t parts) {
    if (at == order.size()) {
      if (parts < 2) return;
      Uint128 border = 0;
      for (const WeightedGraph::Edge& edge : graph.edges) {
        if (part[edge.a] == part[edge.b]) continue;
        border += Uint128{edge.weight} * ((part[edge.a] != 0 ? 1U : 0U) + (part[edge.b] != 0 ? 1U : 0U));
      }
      least = std::min(least, Ratio{border, 2 * Uint128{parts - 1}});
      return;
    }
    const bool terminal = at < graph.terminals.size();
    for (part[order[at]] = terminal ? 1 : 0; part[order[at]] <= parts + (terminal ? 1 : 0); ++part[order[at]])
      place(at + 1, std::max(parts, part[order[at]]));
  };
  place(0, 0);
  return least;
}

void expect_border(const WeightedGraph& graph, const Strength& tight) {
  Uint128 border = 0;
  const auto counts = [&](std::uint32_t vertex) {
    return tight.part_of[vertex] != Strength::kNoPart ? 1U : 0U;
  };
  for (const WeightedGraph::Edge& edge : graph.edges)
    if (tight.part_of[edge.a] != tight.part_of[edge.b])
      border += Uint128{edge.weight} * (counts(edge.a) + counts(edge.b));
  EXPECT_TRUE(tight.border == border);
  std::set<std::uint32_t> of_terminals, of_all(tight.part_of.begin(), tight.part_of.end());
  for (const std::uint32_t terminal : graph.terminals) of_terminals.insert(tight.part_of[terminal]);
  of_all.erase(Strength::kNoPart);
  EXPECT_EQ(of_terminals, of_all);
  EXPECT_EQ(of_all.size(), tight.parts);
}

TEST(Strength, OfRandomGraphsIsTheLeastOfAllPartitions) {
  std::mt19937_64 random(1);
  std::uint32_t inner = 0;
  for (int number = 0; number < 300; ++number) {
    const auto vertices = static_cast<std::uint32_t>(2 + random() % 7);
    const WeightedGraph graph =
        undirected(test::random_links(random, vertices, vertices), test::first_vertices(vertices)).graph;
    const Strength tight = strength(graph);
    EXPECT_TRUE(ratio_of(tight) == least_by_trying(graph)) << number;
    expect_border(graph, tight);
    inner += tight.parts > 2 && tight.parts < vertices ? 1 : 0;
  }
  EXPECT_GT(inner, 20U);  // neither a cut nor all alone
}

TEST(Strength, WithSwitchesIsTheLeastOfAllFamilies) {
  std::mt19937_64 random(2);
  std::uint32_t with_relays = 0;
  for (int number = 0; number < 300; ++number) {
    const auto vertices = static_cast<std::uint32_t>(3 + random() % 5);
    const auto members = static_cast<std::uint32_t>(2 + random() % (vertices - 2));
    LinkGraph fabric = test::random_links(random, vertices, members);
    if (number % 2 == 0)  // between links as fast as each other switches stay in no part
      for (LinkGraph::Link& link : fabric.links) link.bytes_per_s = 1;
    WeightedGraph graph{vertices, test::first_vertices(members), {}};
    for (const LinkGraph::Link& link : fabric.links)
      graph.edges.push_back({link.from, link.to, link.bytes_per_s});
    const Strength tight = strength(graph);
    const Ratio least = least_by_trying(graph);
    EXPECT_TRUE(ratio_of(tight) == least) << number;
    expect_border(graph, tight);
    // A switch that is one with an NPU changes nothing.
    const Undirected joined = undirected(fabric, test::first_vertices(members));
    EXPECT_TRUE(ratio_of(strength(joined.graph)) == least) << number;
    for (const std::uint32_t part : tight.part_of) with_relays += part == Strength::kNoPart ? 1 : 0;
  }
  EXPECT_GT(with_relays, 20U);
}

TEST(Strength, DoesNotFallWhenALinkGetsFaster) {
  std::mt19937_64 random(3);
  for (int number = 0; number < 200; ++number) {
    const auto vertices = static_cast<std::uint32_t>(4 + random() % 20);
    LinkGraph fabric = test::random_links(random, vertices, vertices);
    const auto members = test::first_vertices(static_cast<std::uint32_t>(2 + random() % (vertices - 1)));
    const Ratio before = ratio_of(strength(undirected(fabric, members).graph));
    fabric.links[random() % fabric.links.size()].bytes_per_s += 1 + random() % 500;
    EXPECT_FALSE(ratio_of(strength(undirected(fabric, members).graph)) < before) << number;
  }
}

// 10^18 B/s and no common divisor: capacities are rounded, what is found is added up exactly.
TEST(Strength, OfHugeUnevenWeightsIsCloseToTheLeast) {
  std::mt19937_64 random(4);
  for (int number = 0; number < 50; ++number) {
    WeightedGraph graph{6, test::first_vertices(6), {}};
    for (std::uint32_t a = 0; a < 6; ++a)
      for (std::uint32_t b = a + 1; b < 6; ++b)
        graph.edges.push_back({a, b, 500'000'000'000'000'000 + random() % 500'000'000'000'000'000});
    const Strength tight = strength(graph);
    const Ratio least = least_by_trying(graph), found = ratio_of(tight);
    EXPECT_FALSE(found < least);
    EXPECT_LE(static_cast<double>(found.a) / static_cast<double>(found.b),
              1.000'001 * static_cast<double>(least.a) / static_cast<double>(least.b));
    expect_border(graph, tight);
  }
}

}  // namespace
}  // namespace wafertlm::bounds
