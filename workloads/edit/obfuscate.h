// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"
#include "workloads/edit/edit.h"

namespace wafertlm::edit {

struct ObfuscateOptions {
  double bound = 0.05;  ///< durations, sizes and operations change by at most this part; below 0.5
  TimePs grid_ps = 1;   ///< of the source's durations (statistics::DurationGrid)
  std::uint64_t seed = 1;
};

/// A trace that can be shown: what it depends on and in which order stays, what gives it away goes. Names
/// become the class of the node, ids the position in the file, tensors go. Every duration is changed by
/// itself (statistics::off_grid(): within the bound or two steps of the grid); sizes, operations and
/// dimensions of products by what they are, so that equal ones stay equal, on all ranks: those of a
/// collective still agree. All changes are within the bound and have no common direction.
void obfuscate(Nodes& nodes, std::uint32_t rank, const ObfuscateOptions& options);

/// An attack on it: for each node that computes or communicates the one of the source, of the same class,
/// whose duration and size are nearest, and its name is the guess.
struct Reidentification {
  std::uint64_t nodes = 0;
  std::uint64_t right = 0;      ///< guesses of the name that are right
  std::uint64_t by_chance = 0;  ///< right if the class's most frequent name were the guess
};
/// `changed` is what obfuscate() made of `source`. Adds to what was found on other ranks.
void attack(const Nodes& source, const Nodes& changed, Reidentification& found);

/// Nodes of `changed` of which type, duration on the grid, sizes and operations are as in the source, in the
/// longest run of the file; those that take no time and move nothing do not count.
std::uint64_t longest_identical_run(const Nodes& source, const Nodes& changed, TimePs grid_ps = 1);

}  // namespace wafertlm::edit
