// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/cores/kernel_phase.h"

namespace wafertlm::cores {

/// The core whose tiles come next to each place of a line, and its distance: a ring through every second
/// place and back through the others, so that neighbours are at most two hops apart (MeshGEMM's interleaved
/// order).
struct RingNeighbour {
  std::uint32_t from = 0, hops = 0;
};
std::vector<RingNeighbour> interleaved_ring(std::uint32_t places);

/// Runs the steps on every core of a rectangle. `times`: of core (column, row) at row * columns + column, its
/// start, then its end. Once all cores advance by the same amount in a step they do in all that follow, as a
/// step only adds constants and takes maxima: those are added at once.
void run_shift_steps(const ShiftSteps& steps, const CoreParams& params, std::uint32_t columns,
                     std::uint32_t rows, std::vector<Cycle>& times);

}  // namespace wafertlm::cores
