// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/commands/pipeline/pipeline.h"

namespace wafertlm::pipelines {

/// Σ_k C(L − 1, k − 1) · P! / (P − k)!: the schedules there are.
double schedules(std::size_t layers, std::size_t places);

/// Measures every schedule. The first of the best.
Found exhaustive(const Problem& problem);

/// The optimum by dynamic programming over (layer, set of used places): O(L² · P · 2^P) stage times, no
/// evaluation. By StageTimes a stage's time does not depend on the others, so it is exact; of what is
/// measured otherwise it is a prediction.
Found dynamic_programming(const Problem& problem);

}  // namespace wafertlm::pipelines
