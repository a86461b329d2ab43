// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// Steps of all ranks together.
inline std::uint64_t steps_of(const CollectiveProgram& program) {
  std::uint64_t steps = 0;
  for (const auto& source : program.ranks)
    for (std::uint32_t threadblock = 0; threadblock < source->threadblocks(); ++threadblock)
      steps += source->steps(threadblock);
  return steps;
}

/// visit(rank, threadblock, step) for every step, rank by rank and threadblock by threadblock.
template <typename Visit>
void for_steps(const std::vector<std::unique_ptr<StepSource>>& ranks, const Visit& visit) {
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const StepSource& source = *ranks[rank];
    for (std::uint32_t threadblock = 0; threadblock < source.threadblocks(); ++threadblock)
      for (std::uint32_t index = 0; index < source.steps(threadblock); ++index)
        visit(rank, threadblock, source.step(threadblock, index));
  }
}
template <typename Visit>
void for_steps(const CollectiveProgram& program, const Visit& visit) {
  for_steps(program.ranks, visit);
}

}  // namespace wafertlm
