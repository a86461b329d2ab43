// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time of a collective as flows on an idle fabric: the longest path, and all blocks one after the other over
/// the slowest link between two members.
TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
