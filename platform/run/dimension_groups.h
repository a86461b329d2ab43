// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tlm/shape/dimensions.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// Collectives of all ranks that name the dimensions which take part (`involved_dim`): each rank's runs among
/// the ranks whose NPUs have its coordinates in all others. Adds these groups to `groups`, and sources that
/// name them take the place of those in `ranks`. Reads every trace once. Collectives of other groups have
/// their ranks from these, as in ASTRA-sim.
/// @return the names of the groups
/// @throws chakra::TraceError naming the node: dimensions are left out of a fabric without any, or the list
/// is shorter than the fabric's.
std::set<std::string> add_dimension_groups(std::vector<std::unique_ptr<chakra::NodeSource>>& ranks,
                                           chakra::CommGroups& groups, const Dimensions& dimensions,
                                           const Placement& npus);

}  // namespace wafertlm
