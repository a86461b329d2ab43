// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/dimensional/stages.h"

namespace wafertlm {

/// Programs whose chunks go through stages on the axes of a box. With a limit of active chunks the stages
/// begin in the order of the schedule.
/// @throws std::invalid_argument: all-to-all with blocks of several lengths.
Algorithm::Programs staged_programs(const CollectiveRequest& request, GroupBox box,
                                    const std::vector<ChunkRoute>& routes, const StageSchedule& schedule,
                                    const FabricTraits& fabric);

}  // namespace wafertlm
