// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/scheduled/flow_paths.h"
#include "workloads/collectives/scheduled/transfers.h"

namespace wafertlm {

/// The messages of an all-to-all along paths: every part of a block in `chunks` chunks, which follow each
/// other by a period in which each link has a slot for everything that crosses it (modulo scheduling, Rau
/// 1981): so no two messages want a link at once, and the busiest one is never idle but at both ends. A rank
/// that passes a message on keeps it behind what it receives: `scratch_bytes` of the longest.
struct FlowSchedule {
  TransferList list;
  std::uint64_t scratch_bytes = 0;
};

/// Blocks lie in the buffer as an all-to-all's do (CollectiveType::all_to_all).
FlowSchedule flow_schedule(const RankLinks& links, const FlowPaths& paths, std::uint64_t bytes,
                           std::uint32_t chunks, const FabricTraits& fabric);

}  // namespace wafertlm
