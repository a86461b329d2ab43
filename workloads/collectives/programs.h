// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "workloads/collectives/planner.h"

namespace wafertlm {

/// The steps of every rank of a request whose algorithm and chunks are set.
std::vector<std::unique_ptr<StepSource>> programs_of(const CollectiveRequest& request,
                                                     const FabricTraits& fabric);

}  // namespace wafertlm
