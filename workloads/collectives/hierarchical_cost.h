// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time of a hierarchical_2d request with its chunks set: the program of one rank, step by step, with all
/// other ranks taken to do the same at the same time. A ring's edges differ in length (its last one runs back
/// along the others), so each round takes the mean latency of the worst n - 1 of them. In a tree of switches
/// a closed form of the phases, endpoints' memories taken as free.
TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
