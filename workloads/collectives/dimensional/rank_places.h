// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "tlm/shape/equal_places.h"
#include "workloads/collectives/dimensional/stages.h"

namespace wafertlm {

/// How the ranks of staged programs follow each other, whose blocks are all of one length. Null: trees, a
/// part of a ring, messages half way round one that takes both ways, or dimensions with two ends.
std::shared_ptr<const EqualPlaces> places_of(const CollectiveRequest& request, const GroupBox& box,
                                             const std::vector<ChunkRoute>& routes,
                                             const FabricTraits& fabric);

}  // namespace wafertlm
