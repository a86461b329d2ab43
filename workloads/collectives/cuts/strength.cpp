// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/strength.h"

#include <algorithm>
#include <numeric>

#include "workloads/collectives/cuts/capacities.h"
#include "workloads/collectives/cuts/min_cut.h"

namespace wafertlm::bounds {
namespace {

using Capacity = MinCut::Capacity;
/// Of each terminal, by position: a number that terminals of one part share.
using Parts = std::vector<std::uint32_t>;

std::uint64_t unit_of(const WeightedGraph& graph) {
  std::vector<std::uint64_t> weights;
  for (const WeightedGraph::Edge& edge : graph.edges) weights.push_back(edge.weight);
  return capacity_unit(weights, 8 * std::uint64_t{graph.vertices});
}

/// The graph, with a source before and a sink behind every vertex.
class BorderNetwork {
 public:
  /// A weight is `scale` for each unit.
  BorderNetwork(const WeightedGraph& graph, std::uint64_t unit, Capacity scale)
      : source_(graph.vertices), sink_(source_ + 1), network_(graph.vertices + 2) {
    for (const WeightedGraph::Edge& edge : graph.edges) {
      const Capacity weight = scale * static_cast<Capacity>(edge.weight / unit);
      network_.add(edge.a, edge.b, weight, weight);
      everything_ += weight;
    }
    first_ = graph.edges.size();
    for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex) {
      network_.add(source_, vertex, 0, 0);
      network_.add(vertex, sink_, 0, 0);
    }
  }

  void require_inside(std::uint32_t vertex) { set(vertex, everything_ + 1, 0); }
  void require_outside(std::uint32_t vertex) { set(vertex, 0, everything_ + 1); }
  /// What it costs to have the vertex inside; may be negative.
  void set_cost(std::uint32_t vertex, Capacity cost) {
    set(vertex, cost < 0 ? -cost : 0, cost < 0 ? 0 : cost);
  }
  /// The smallest of the sets with the least border and cost. Its capacity counts what a gain that was left
  /// outside would have brought.
  MinCut::Cut cheapest() { return network_.between(source_, sink_); }

 private:
  void set(std::uint32_t vertex, Capacity from_source, Capacity to_sink) {
    network_.set(first_ + 2 * std::size_t{vertex}, from_source, 0);
    network_.set(first_ + 2 * std::size_t{vertex} + 1, to_sink, 0);
  }

  std::uint32_t source_, sink_;
  MinCut network_;
  std::size_t first_ = 0;
  Capacity everything_ = 0;
};

/// The greedy algorithm: each terminal takes as much as the sets with those before it leave, and those in the
/// smallest set that leaves no more become one part with it.
Parts cheapest_parts(const WeightedGraph& graph, BorderNetwork& network, Capacity price) {
  const std::vector<std::uint32_t>& terminals = graph.terminals;
  Parts part_of(terminals.size());
  std::iota(part_of.begin(), part_of.end(), 0U);
  for (const std::uint32_t terminal : terminals) network.require_outside(terminal);
  Capacity gains = 0;  // of terminals whose share is positive
  for (std::uint32_t position = 0; position < terminals.size(); ++position) {
    network.require_inside(terminals[position]);
    const MinCut::Cut tight = network.cheapest();
    const Capacity share = tight.capacity - gains - price;
    network.set_cost(terminals[position], -share);
    gains += std::max<Capacity>(share, 0);
    for (std::uint32_t other = 0; other < position; ++other) {
      if (!tight.source_side[terminals[other]] || part_of[other] == part_of[position]) continue;
      const std::uint32_t joined = part_of[other];
      std::replace(part_of.begin(), part_of.begin() + position, joined, part_of[position]);
    }
  }
  return part_of;
}

/// The smallest sets with these terminals and the least borders, which do not meet. Parts are numbered in the
/// order of their first terminals.
Strength with_borders(const WeightedGraph& graph, const Parts& part_of, BorderNetwork& network) {
  Strength of;
  of.part_of.assign(graph.vertices, Strength::kNoPart);
  const bool only_terminals = graph.terminals.size() == graph.vertices;
  for (std::size_t first = 0; first < part_of.size(); ++first) {
    if (of.part_of[graph.terminals[first]] != Strength::kNoPart) continue;
    const std::uint32_t part = of.parts++;
    for (std::size_t terminal = 0; terminal < part_of.size(); ++terminal) {
      const bool inside = part_of[terminal] == part_of[first];
      if (inside) of.part_of[graph.terminals[terminal]] = part;
      inside ? network.require_inside(graph.terminals[terminal])
             : network.require_outside(graph.terminals[terminal]);
    }
    if (only_terminals) continue;
    const std::vector<bool> inside = network.cheapest().source_side;
    for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
      if (inside[vertex]) of.part_of[vertex] = part;
  }
  for (const WeightedGraph::Edge& edge : graph.edges) {
    const std::uint32_t a = of.part_of[edge.a], b = of.part_of[edge.b];
    if (a == b) continue;
    of.border += Uint128{edge.weight} * ((a != Strength::kNoPart) + (b != Strength::kNoPart));
  }
  return of;
}

/// The best of: every terminal alone; the one with the least border against the rest.
Strength first_guess(const WeightedGraph& graph, std::uint64_t unit) {
  BorderNetwork network(graph, unit, 1);
  Parts parts(graph.terminals.size());
  std::iota(parts.begin(), parts.end(), 0U);
  Strength best = with_borders(graph, parts, network);
  std::vector<Uint128> border(best.parts, 0);
  for (const WeightedGraph::Edge& edge : graph.edges) {
    const std::uint32_t a = best.part_of[edge.a], b = best.part_of[edge.b];
    if (a == b) continue;
    if (a != Strength::kNoPart) border[a] += edge.weight;
    if (b != Strength::kNoPart) border[b] += edge.weight;
  }
  std::fill(parts.begin(), parts.end(), 0U);
  parts[static_cast<std::size_t>(std::min_element(border.begin(), border.end()) - border.begin())] = 1;
  Strength leaf = with_borders(graph, parts, network);
  return leaf.below(best) ? leaf : best;
}

}  // namespace

bool Strength::below(const Strength& other) const {
  return border * (other.parts - 1) < other.border * (parts - 1);
}

Strength strength(const WeightedGraph& graph) {
  const std::uint64_t unit = unit_of(graph);
  for (Strength best = first_guess(graph, unit);;) {
    // Weights times (parts - 1), so that the price of a part is whole.
    BorderNetwork network(graph, unit, static_cast<Capacity>(best.parts - 1));
    const Parts parts = cheapest_parts(graph, network, static_cast<Capacity>(best.border / unit));
    Strength next = with_borders(graph, parts, network);
    if (next.parts < 2 || !next.below(best)) return best;
    best = std::move(next);
  }
}

}  // namespace wafertlm::bounds
