// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time of a collective as flows on an idle fabric: the longest path, and the bytes over the slowest link
/// that carries them. All-reduce, reduce and broadcast: the vector. Reduce-scatter and all-gather: the blocks
/// that pass that link, one after the other.
TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
