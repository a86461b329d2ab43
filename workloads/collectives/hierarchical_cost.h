// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time of a hierarchical_2d request with its chunks set. Of a grid in two parts: the program of one rank,
/// step by step, with all other ranks taken to do the same at the same time. In one part: a closed form of
/// the phases, endpoints' memories taken as free.
TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
