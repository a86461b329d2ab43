// SPDX-License-Identifier: Apache-2.0
// The bound of an all-to-all against the maximum concurrent flow, solved exactly: a simplex of its own in
// rational numbers over flows per source and link, not over trees.
#include "workloads/collectives/cuts/concurrent_flow.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "tests/support/random_cases.h"
#include "tests/unit/workloads/collectives/bounds/graphs.h"

namespace wafertlm::bounds {
namespace {

using Rational = boost::multiprecision::cpp_rational;

/// maximize the last variable, rows · x <= limits, x >= 0, limits >= 0; Bland's rule, so it ends.
Rational greatest(std::vector<std::vector<Rational>> rows, std::vector<Rational> limits) {
  const std::size_t variables = rows.front().size(), all = variables + rows.size();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].resize(all, 0);
    rows[row][variables + row] = 1;
  }
  std::vector<Rational> costs(all, 0);
  costs[variables - 1] = -1;
  std::vector<std::size_t> basis(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) basis[row] = variables + row;
  Rational value = 0;
  for (;;) {
    const auto entering = static_cast<std::size_t>(
        std::find_if(costs.begin(), costs.end(), [](const Rational& cost) { return cost < 0; }) -
        costs.begin());
    if (entering == all) return value;
    std::size_t leaving = rows.size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row][entering] <= 0) continue;
      if (leaving == rows.size()) {
        leaving = row;
        continue;
      }
      const Rational here = limits[row] * rows[leaving][entering],
                     best = limits[leaving] * rows[row][entering];
      if (here < best || (here == best && basis[row] < basis[leaving])) leaving = row;
    }
    const Rational pivot = rows[leaving][entering];
    for (Rational& entry : rows[leaving]) entry /= pivot;
    limits[leaving] /= pivot;
    const auto subtract = [&](std::vector<Rational>& from, Rational& limit) {
      const Rational factor = from[entering];
      if (factor == 0) return;
      for (std::size_t column = 0; column < all; ++column)
        if (rows[leaving][column] != 0) from[column] -= factor * rows[leaving][column];
      limit -= factor * limits[leaving];
    };
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (row != leaving) subtract(rows[row], limits[row]);
    subtract(costs, value);
    basis[leaving] = entering;
  }
}

/// Of every pair of members at a time.
Rational concurrent_rate(const LinkGraph& graph, std::uint32_t members) {
  const std::size_t links = graph.links.size(), rate = members * links;
  std::vector<std::vector<Rational>> rows;
  std::vector<Rational> limits;
  for (std::size_t link = 0; link < links; ++link) {
    rows.emplace_back(rate + 1, 0);
    for (std::uint32_t source = 0; source < members; ++source) rows.back()[source * links + link] = 1;
    limits.emplace_back(graph.links[link].bytes_per_s);
  }
  for (std::uint32_t source = 0; source < members; ++source)
    for (std::uint32_t vertex = 0; vertex < graph.vertices.size(); ++vertex) {
      if (vertex == source) continue;
      rows.emplace_back(rate + 1, 0);
      for (std::size_t link = 0; link < links; ++link) {
        if (graph.links[link].from == vertex) rows.back()[source * links + link] += 1;
        if (graph.links[link].to == vertex) rows.back()[source * links + link] -= 1;
      }
      if (vertex < members) rows.back()[rate] = 1;
      limits.emplace_back(0);
    }
  return greatest(std::move(rows), std::move(limits));
}

TEST(ConcurrentFlow, OfRandomGraphsIsWhatAnExactProgramFinds) {
  std::mt19937_64 random(1);
  const int cases = test::random_cases(40, 10);
  int no_cut = 0;
  for (int number = 0; number < cases; ++number) {
    const auto vertices = static_cast<std::uint32_t>(2 + random() % 5);
    const auto members = static_cast<std::uint32_t>(2 + random() % (vertices - 1));
    LinkGraph graph = test::random_links(random, vertices, members);
    if (number % 2 == 0)
      for (LinkGraph::Link& link : graph.links) link.bytes_per_s = 1 + random() % 3;
    const LinkLengths found = tightest_lengths(graph, test::first_vertices(members));
    EXPECT_EQ(Rational(static_cast<std::uint64_t>(found.weight)) / static_cast<std::uint64_t>(found.distance),
              concurrent_rate(graph, members))
        << number;
    no_cut += found.inside.empty() ? 1 : 0;
  }
  EXPECT_GT(no_cut, cases / 20);
}

// X-Y routes load the links across the middle with 24 and 128 blocks, no other ones with more: the cut is
// tight.
TEST(ConcurrentFlow, OfMeshesIsTheCutThroughTheMiddle) {
  const auto blocks = [](std::uint32_t width, std::uint32_t height) {
    const LinkGraph mesh = test::bare_mesh(width, height);
    const LinkLengths found = tightest_lengths(mesh, test::first_vertices(mesh.npus));
    EXPECT_FALSE(found.inside.empty());
    return static_cast<double>(found.distance * test::kMeshLink) / static_cast<double>(found.weight);
  };
  EXPECT_EQ(blocks(5, 4), 24);
  EXPECT_EQ(blocks(8, 8), 128);
}

TEST(ConcurrentFlow, OfAnyLengthsIsNoTighter) {
  std::mt19937_64 random(2);
  for (int number = 0; number < 100; ++number) {
    const auto vertices = static_cast<std::uint32_t>(3 + random() % 10);
    const auto members = test::first_vertices(static_cast<std::uint32_t>(2 + random() % (vertices - 1)));
    const LinkGraph graph = test::random_links(random, vertices, vertices);
    const LinkLengths tight = tightest_lengths(graph, members);
    std::vector<std::uint64_t> lengths;
    for (std::size_t link = 0; link < graph.links.size(); ++link) lengths.push_back(random() % 4);
    const LinkLengths other = measured(graph, members, lengths);
    EXPECT_FALSE(other.weight != 0 && other.tighter(tight));
  }
}

}  // namespace
}  // namespace wafertlm::bounds
