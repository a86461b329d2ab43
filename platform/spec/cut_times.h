// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// What a collective can gain where the times of messages are cut to steps (FabricAbilities::time_step_ps):
/// less than a step for each of those that follow each other, which are no more than twice round in every
/// chunk.
inline TimePs cut_at_most_ps(TimePs time_step_ps, std::uint64_t ranks, std::uint64_t chunks) {
  return time_step_ps * 2 * ranks * std::max<std::uint64_t>(chunks, 1);
}

}  // namespace wafertlm
