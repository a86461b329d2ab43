// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace wafertlm {
namespace {

using Answer = Colouring::Answer;

ConflictGraph graph_of(std::uint32_t vertices,
                       const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  ConflictGraph graph(vertices);
  for (const auto& [a, b] : edges) {
    graph[a].push_back(b);
    graph[b].push_back(a);
  }
  for (auto& neighbours : graph) std::sort(neighbours.begin(), neighbours.end());
  return graph;
}

ConflictGraph cycle(std::uint32_t length) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 0; i < length; ++i) edges.emplace_back(i, (i + 1) % length);
  return graph_of(length, edges);
}

bool proper(const ConflictGraph& graph, const std::vector<std::uint32_t>& colour, std::uint32_t colours) {
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    if (colour[v] >= colours) return false;
    for (const std::uint32_t neighbour : graph[v])
      if (colour[v] == colour[neighbour]) return false;
  }
  return true;
}

/// All colours^vertices colourings.
bool colourable(const ConflictGraph& graph, std::uint32_t colours) {
  std::vector<std::uint32_t> colour(graph.size());
  while (true) {
    if (proper(graph, colour, colours)) return true;
    std::size_t i = 0;
    while (i < colour.size() && ++colour[i] == colours) colour[i++] = 0;
    if (i == colour.size()) return false;
  }
}

TEST(FredColouring, Cycles) {
  for (const std::uint32_t length : {3U, 5U, 7U, 101U}) {
    EXPECT_EQ(colour_graph(cycle(length), 2, 100'000).answer, Answer::impossible) << length;
    EXPECT_EQ(colour_graph(cycle(length), 3, 100'000).answer, Answer::found) << length;
  }
  for (const std::uint32_t length : {4U, 6U, 100U})
    EXPECT_EQ(colour_graph(cycle(length), 2, 100'000).answer, Answer::found) << length;
}

TEST(FredColouring, NamesTheComponentThatFails) {
  const ConflictGraph graph = graph_of(7, {{0, 1}, {2, 4}, {4, 6}, {2, 6}});
  const Colouring colouring = colour_graph(graph, 2, 100'000);
  EXPECT_EQ(colouring.answer, Answer::impossible);
  EXPECT_EQ(colouring.component, (std::vector<std::uint32_t>{2, 4, 6}));
}

TEST(FredColouring, IsExactOnRandomGraphs) {
  std::mt19937_64 random(5);
  std::size_t possible = 0, impossible = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto vertices = static_cast<std::uint32_t>(2 + random() % 7);
    const auto colours = static_cast<std::uint32_t>(1 + random() % 3);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    const std::uint64_t density = 20 + random() % 60;
    for (std::uint32_t a = 0; a < vertices; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        if (random() % 100 < density) edges.emplace_back(a, b);
    const ConflictGraph graph = graph_of(vertices, edges);
    const Colouring colouring = colour_graph(graph, colours, 100'000);
    const bool expected = colourable(graph, colours);
    (expected ? possible : impossible) += 1;
    ASSERT_EQ(colouring.answer, expected ? Answer::found : Answer::impossible);
    EXPECT_FALSE(colouring.heuristic);
    if (expected) {
      EXPECT_TRUE(proper(graph, colouring.colour, colours));
    }
  }
  EXPECT_GT(possible, 300U);
  EXPECT_GT(impossible, 300U);
}

// A tree takes an assignment for each vertex, in each component anew. In a clique of five every vertex has
// one colour left until there is none: four assignments, and the search knows with the fifth unused.
TEST(FredColouring, TheBudgetIsOfAssignmentsInAComponent) {
  const ConflictGraph trees = graph_of(9, {{0, 2}, {2, 4}, {2, 6}, {1, 3}, {3, 5}, {5, 7}});
  EXPECT_FALSE(colour_graph(trees, 2, 4).heuristic);
  EXPECT_TRUE(colour_graph(trees, 2, 3).heuristic);
  EXPECT_EQ(colour_graph(trees, 2, 3).answer, Answer::found);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t a = 0; a < 5; ++a)
    for (std::uint32_t b = 0; b < a; ++b) edges.emplace_back(a, b);
  const ConflictGraph clique = graph_of(5, edges);
  EXPECT_EQ(colour_graph(clique, 4, 5).answer, Answer::impossible);
  EXPECT_EQ(colour_graph(clique, 4, 4).answer, Answer::not_found);
  EXPECT_EQ(colour_graph(clique, 5, 5).answer, Answer::found);
  EXPECT_FALSE(colour_graph(clique, 5, 5).heuristic);
}

// The first colours of the order: of the vertices that see most colours those with most neighbours, then the
// first.
TEST(FredColouring, ColoursTheMostConstrainedFirst) {
  const ConflictGraph graph = graph_of(6, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}});
  // 1 has colour 0 (three neighbours, before 3), 3 sees it; 2 sees both; then 0, 4, 5.
  EXPECT_EQ(colour_graph(graph, 3, 100).colour, (std::vector<std::uint32_t>{1, 0, 2, 1, 0, 1}));
}

// A graph that has a colouring by construction, and no budget for the exact search: the local search finds
// one and says that it did. Where it finds none nothing is claimed.
TEST(FredColouring, BeyondTheBudgetItSaysSo) {
  std::mt19937_64 random(7);
  constexpr std::uint32_t kVertices = 120;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t a = 0; a < kVertices; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      if (a % 3 != b % 3 && random() % 100 < 20) edges.emplace_back(a, b);
  const ConflictGraph graph = graph_of(kVertices, edges);
  const Colouring colouring = colour_graph(graph, 3, 1);
  EXPECT_TRUE(colouring.heuristic);
  ASSERT_EQ(colouring.answer, Answer::found);
  EXPECT_TRUE(proper(graph, colouring.colour, 3));
  const Colouring none = colour_graph(cycle(7), 2, 1);
  EXPECT_TRUE(none.heuristic);
  EXPECT_EQ(none.answer, Answer::not_found);
}

}  // namespace
}  // namespace wafertlm
