// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/cores/core_program.h"

namespace wafertlm::cores {

/// To the neighbour on two that alternate, and back to the first core.
constexpr std::uint32_t kRingColours = 3;

/// Adds an all-reduce in the ring that goes along a line and back to its first core in one route: P - 1 steps
/// of sums and P - 1 of results with a block of the vector each. Blocks differ by at most one wavelet;
/// `program.blocks` is at least the line's length.
void add_ring(CoreProgram& program, const std::vector<CoreIndex>& ring, std::uint32_t wavelets);

}  // namespace wafertlm::cores
