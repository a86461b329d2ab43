// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/cores/core_program.h"

namespace wafertlm::cores {

/// Who sends its sum to whom along a line of places; a place takes its children in this order.
struct ReductionTree {
  std::vector<std::vector<std::uint32_t>> children;
  std::uint32_t root = 0;
  /// Whether a place's sum goes on while its last child comes in, or after it.
  std::vector<bool> passes_on;

  std::uint32_t size() const { return static_cast<std::uint32_t>(children.size()); }
};

/// All to the first place.
ReductionTree star_tree(std::uint32_t places);
/// Each to the one before it.
ReductionTree chain_tree(std::uint32_t places);
/// Binomial: place i to i less its lowest bit, a round after the other.
ReductionTree binomial_tree(std::uint32_t places);
/// Chains in groups of about the square root of all; when those are done, a chain of the groups' first
/// places.
ReductionTree two_phase_tree(std::uint32_t places);
/// The same with roots in the middle of each group and of all, and as many groups as the largest divisor up
/// to the square root: the K-tree, K = 2, of WaferLLM (He et al., OSDI 2025).
ReductionTree middle_tree(std::uint32_t places);
/// The groups of `middle_tree`.
std::uint32_t middle_groups(std::uint32_t places);

/// What the model of Luczynski et al. (HPDC 2024) counts: T = max(C, E / N) + L + (2 T_R + 1) D.
struct TreeCost {
  Cycle contention = 0;  ///< C: wavelets that a place takes in, the most of all
  Cycle energy = 0;      ///< E: hops of all wavelets
  Cycle links = 0;       ///< N: that are used
  Cycle distance = 0;    ///< L: hops from the farthest place to the root
  Cycle depth = 0;       ///< D: sums one after the other
};
TreeCost cost_of(const ReductionTree& tree, std::uint32_t wavelets);
double modelled_cycles(const TreeCost& cost, Cycle ramp);

/// Adds the reduction of `wavelets` of block 0 along `line`, a core for each place; returns the root.
CoreIndex add_reduction(CoreProgram& program, const std::vector<CoreIndex>& line, const ReductionTree& tree,
                        std::uint32_t wavelets);
/// Adds the way of the root's block 0 to all other cores, by a route that fans out.
void add_flood(CoreProgram& program, CoreIndex root, std::uint32_t wavelets);

}  // namespace wafertlm::cores
