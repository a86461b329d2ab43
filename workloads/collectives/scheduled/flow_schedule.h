// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "workloads/collectives/scheduled/flow_paths.h"
#include "workloads/collectives/scheduled/sends.h"

namespace wafertlm {

/// The sends of an all-to-all along paths: every part of a block in `chunks` chunks, which follow each other
/// by a period in which each link has a slot for everything that crosses it (modulo scheduling, Rau 1981): so
/// no two messages want a link at once, and the busiest one is never idle but at both ends. Pieces as in
/// exchange_list, parts · chunks of each block.
std::vector<PlannedSend> flow_schedule(const ExchangePaths& paths, std::uint32_t chunks,
                                       const LinkTimes& times);

}  // namespace wafertlm
