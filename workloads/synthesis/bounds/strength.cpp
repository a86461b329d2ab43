// SPDX-License-Identifier: Apache-2.0
#include "workloads/synthesis/bounds/strength.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tlm/units.h"
#include "workloads/synthesis/bounds/capacities.h"
#include "workloads/synthesis/bounds/min_cut.h"

namespace wafertlm::bounds {
namespace {

using Capacity = MinCut::Capacity;

/// Weights that count `scale` times, in units of all weights' common divisor.
struct ScaledEdge {
  std::uint32_t a, b;
  Capacity weight;
};

/// Joins what has to be one part when each part but the first must pay for itself with `price`: the parts are
/// those of the least (weight between parts - price · parts).
class CheapestPartition {
 public:
  CheapestPartition(std::uint32_t vertices, const std::vector<ScaledEdge>& edges, Capacity price)
      : neighbours_(vertices), price_(price), part_of_(vertices), added_(vertices, false) {
    for (const ScaledEdge& edge : edges) {
      neighbours_[edge.a].push_back({edge.b, edge.weight});
      neighbours_[edge.b].push_back({edge.a, edge.weight});
    }
    std::iota(part_of_.begin(), part_of_.end(), 0U);
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) add(vertex);
  }
  const std::vector<std::uint32_t>& part_of() const { return part_of_; }

 private:
  struct Neighbour {
    std::uint32_t vertex;
    Capacity weight;
  };

  /// Parts among the vertices so far are tight sets of the polymatroid, so a set that the new vertex makes
  /// tight takes in whole parts. Of the network's vertices 0 is the new one, 1 the sink.
  void add(std::uint32_t vertex) {
    added_[vertex] = true;
    std::map<std::uint32_t, std::uint32_t> number{{vertex, 0}};  // of parts in the network
    std::uint32_t count = 2;
    for (std::uint32_t other = 0; other < vertex; ++other)
      if (number.emplace(part_of_[other], count).second) ++count;
    if (count == 2) return;

    // The new vertex with parts Z gains weight(inside) - price · |Z|: twice that is what the degrees of all
    // of them are above the cut around them, less twice the price of each.
    MinCut network(count);
    std::vector<Capacity> degree(count, 0);
    for (std::uint32_t from = 0; from <= vertex; ++from)
      for (const Neighbour& to : neighbours_[from]) {
        const std::uint32_t a = number.at(part_of_[from]);
        if (to.vertex >= from || !added_[to.vertex]) continue;
        const std::uint32_t b = number.at(part_of_[to.vertex]);
        if (a == b) continue;
        network.add(a, b, to.weight, to.weight);
        degree[a] += to.weight;
        degree[b] += to.weight;
      }
    for (std::uint32_t part = 2; part < count; ++part) {
      const Capacity costs = 2 * price_ - degree[part];
      if (costs < 0)
        network.add(0, part, -costs, 0);
      else
        network.add(part, 1, costs, 0);
    }
    const std::vector<bool> joined = network.between(0, 1).source_side;
    for (std::uint32_t other = 0; other < vertex; ++other)
      if (joined[number.at(part_of_[other])]) part_of_[other] = vertex;
  }

  std::vector<std::vector<Neighbour>> neighbours_;
  Capacity price_;
  std::vector<std::uint32_t> part_of_;  // a vertex of the part
  std::vector<bool> added_;
};

/// Parts numbered in the order of their first vertices.
Strength measured(const WeightedGraph& graph, const std::vector<std::uint32_t>& part_of) {
  Strength of;
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::uint32_t part : part_of) {
    const auto [at, is_new] = number.emplace(part, of.parts);
    if (is_new) ++of.parts;
    of.part_of.push_back(at->second);
  }
  for (const WeightedGraph::Edge& edge : graph.edges)
    if (of.part_of[edge.a] != of.part_of[edge.b]) of.crossing += edge.weight;
  return of;
}

/// The best of: every vertex alone; one vertex against the rest.
Strength first_guess(const WeightedGraph& graph) {
  std::vector<std::uint32_t> part_of(graph.vertices);
  std::iota(part_of.begin(), part_of.end(), 0U);
  Strength best = measured(graph, part_of);
  std::vector<std::uint64_t> degree(graph.vertices, 0);
  for (const WeightedGraph::Edge& edge : graph.edges)
    if (edge.a != edge.b) {
      degree[edge.a] += edge.weight;
      degree[edge.b] += edge.weight;
    }
  const auto least = std::min_element(degree.begin(), degree.end());
  std::fill(part_of.begin(), part_of.end(), 0U);
  part_of[static_cast<std::size_t>(least - degree.begin())] = 1;
  Strength leaf = measured(graph, part_of);
  return leaf.below(best) ? leaf : best;
}

}  // namespace

bool Strength::below(const Strength& other) const {
  return Uint128{crossing} * (other.parts - 1) < Uint128{other.crossing} * (parts - 1);
}

Strength strength(const WeightedGraph& graph) {
  std::vector<std::uint64_t> weights;
  for (const WeightedGraph::Edge& edge : graph.edges) weights.push_back(edge.weight);
  const std::uint64_t unit = capacity_unit(weights, 8 * std::uint64_t{graph.vertices});
  for (Strength best = first_guess(graph);;) {
    // Weights times (parts - 1), so that the price of a part is whole.
    const auto scale = static_cast<Capacity>(best.parts - 1);
    std::vector<ScaledEdge> edges;
    for (const WeightedGraph::Edge& edge : graph.edges)
      edges.push_back({edge.a, edge.b, scale * static_cast<Capacity>(edge.weight / unit)});
    const auto price = static_cast<Capacity>(best.crossing / unit);
    Strength next = measured(graph, CheapestPartition(graph.vertices, edges, price).part_of());
    if (next.parts < 2 || !next.below(best)) return best;
    best = std::move(next);
  }
}

}  // namespace wafertlm::bounds
