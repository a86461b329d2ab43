// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm {

/// Neighbours of each vertex, sorted, both ways.
using ConflictGraph = std::vector<std::vector<std::uint32_t>>;

struct Colouring {
  enum class Answer : std::uint8_t {
    found,
    impossible,  ///< proven: all colourings were ruled out
    not_found,   ///< neither the exact search within its budget nor the heuristic found one
  };
  Answer answer = Answer::found;
  std::vector<std::uint32_t> colour;     ///< of each vertex, when found
  std::vector<std::uint32_t> component;  ///< the connected vertices that cannot be coloured, when not found
  bool heuristic = false;                ///< the exact search gave up and a local search answered
};

/// Colours the vertices with `colours` colours so that neighbours differ. Each connected component by itself:
/// DSATUR with backtracking (Brélaz 1979), exact if it ends within `budget` assignments; beyond it tabu
/// search (Hertz and de Werra 1987) with a fixed seed. The result depends on the arguments only.
Colouring colour_graph(const ConflictGraph& graph, std::uint32_t colours, std::uint64_t budget);

}  // namespace wafertlm
