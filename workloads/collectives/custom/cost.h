// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/custom/program.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// The plan of a request with a custom algorithm.
/// @throws std::invalid_argument as CustomPlan
std::shared_ptr<const CustomPlan> custom_plan(const CollectiveRequest& request, const FabricTraits& fabric);

/// Time of a custom algorithm with nothing shared, or of the busiest link or port if that is longer: every
/// step as soon as those before it let it.
TimePs custom_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
