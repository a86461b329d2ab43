// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/packed_trees/packings.h"
#include "workloads/collectives/packed_trees/rank_graph.h"

namespace wafertlm {

/// Whether shared_routes() looks at such a group: not more than 128 members, all of which reach each other
/// over pairs whose routes have not failed.
bool has_shared_routes(const Group& group, const FabricTraits& fabric);

/// Members of a group that reach each other over links and ports that other pairs use, too, as NPUs behind
/// switches do: pairs, each with a rate, such that all of them together take no link or port more than it
/// has. Requires has_shared_routes().
///
/// The rates are what a packing of trees over all pairs needs that puts as much as it can through the fabric:
/// a linear program with a column for each tree and a row for each link. Trees are made as the prices of
/// links ask for them, each grown from its root by the cheapest pair (column generation; Ford and Fulkerson
/// 1958). Trees that are used up and down load both ways of a pair, and the cheapest is a minimum spanning
/// tree; of others it is nearly so.
RankGraph shared_routes(const Group& group, const FabricTraits& fabric, const TreeUse& use);

}  // namespace wafertlm
