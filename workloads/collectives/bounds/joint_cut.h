// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "workloads/collectives/bounds/tight_bound.h"

namespace wafertlm {

/// A bound of collectives that begin at the same time: what all of them must send over a cut or a partition
/// of the fabric's links. Of up to 12 vertices (switches that belong to an NPU not counted) all cuts are
/// tried; of more those that bound one of the collectives, improved vertex by vertex. Partitions are those
/// that bound one of the all-reduces. None: fewer than two of them have anything to move, or the topology
/// does not know its links.
std::optional<bounds::TightBound> joint_cut(const std::vector<CollectiveRequest>& requests,
                                            const FabricTraits& fabric);

}  // namespace wafertlm
