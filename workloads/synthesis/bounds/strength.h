// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::bounds {

/// An undirected graph; edges between the same two vertices add up.
struct WeightedGraph {
  struct Edge {
    std::uint32_t a = 0, b = 0;
    std::uint64_t weight = 0;
  };
  std::uint32_t vertices = 0;
  std::vector<Edge> edges;
};

/// The tight partition, and with it the exact rate: crossing / (parts - 1).
struct Strength {
  std::uint64_t crossing = 0;  ///< weight of the edges between parts
  std::uint32_t parts = 0;
  std::vector<std::uint32_t> part_of;  ///< by vertex, 0 … parts - 1

  bool below(const Strength& other) const;
};

/// The strength of a graph of two vertices or more: the least of crossing / (parts - 1) over all partitions,
/// which is the fractional packing of spanning trees (Tutte 1961, Nash-Williams 1961). Newton's method over
/// partitions; each step finds the worst partition with a minimum cut per vertex (Cunningham 1985, as the
/// Dilworth truncation in Frank, "Connections in Combinatorial Optimization", 2011).
/// Exact as long as capacity_unit() is.
Strength strength(const WeightedGraph& graph);

}  // namespace wafertlm::bounds
