// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/holding.h"

namespace wafertlm::training {

std::uint32_t copies(const Strategy& strategy, Kind kind) {
  return strategy.degrees.dp / (kind == Kind::experts ? strategy.expert_parallel : 1);
}

std::uint32_t holders(const Strategy& strategy, Part part, Kind kind) {
  constexpr std::array<std::uint32_t, 3> kFromStage = {3, 2, 1};  // by part
  const bool divided = strategy.zero_stage >= kFromStage[static_cast<std::size_t>(part)] ||
                       (part == Part::updated && strategy.scatters_gradients());
  return divided ? copies(strategy, kind) : 1;
}

bool fetches(const Strategy& strategy, Kind kind) {
  return strategy.offload.weights || holders(strategy, Part::parameters, kind) > 1;
}

}  // namespace wafertlm::training
