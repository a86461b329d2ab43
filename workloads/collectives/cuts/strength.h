// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::bounds {

/// An undirected graph; edges between the same two vertices add up.
struct WeightedGraph {
  struct Edge {
    std::uint32_t a = 0, b = 0;
    std::uint64_t weight = 0;
  };
  std::uint32_t vertices = 0;
  std::vector<std::uint32_t> terminals;  ///< two or more; the other vertices only pass on
  std::vector<Edge> edges;
};

/// The tight family of sets of vertices, and with it the exact rate: border / 2 / (parts - 1).
struct Strength {
  static constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

  /// Weight of the edges round each part, summed: between two parts they count twice.
  Uint128 border = 0;
  std::uint32_t parts = 0;
  std::vector<std::uint32_t> part_of;  ///< by vertex; kNoPart: one that only passes on, between the parts

  bool below(const Strength& other) const;
};

/// The strength of a graph: the least of border / 2 / (parts - 1) over all families of disjoint sets with a
/// terminal each that together hold all terminals. If all vertices are terminals that is the fractional
/// packing of spanning trees (Tutte 1961, Nash-Williams 1961).
///
/// Newton's method over the families. Each step finds the one with the least (border - price · parts): the
/// least border of a set with given terminals is a submodular function of these, so the greedy algorithm for
/// its Dilworth truncation does it, with a minimum cut per terminal (Cunningham 1985; Frank, "Connections in
/// Combinatorial Optimization", 2011).
/// Exact as long as capacity_unit() is.
Strength strength(const WeightedGraph& graph);

}  // namespace wafertlm::bounds
