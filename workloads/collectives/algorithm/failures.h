// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

/// Of algorithms that fit a request those that send nothing over links that have failed, nor would
/// answers; where nothing has failed all of them.
std::vector<std::string> avoid_failures(std::vector<std::string> names, const CollectiveRequest& request,
                                        const FabricTraits& fabric);

}  // namespace wafertlm
