// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time for bytes at a rate, rounded down: for bounds. 0: there is no such link.
inline TimePs at_least_ps(Uint128 bytes, Uint128 bytes_per_s) {
  return bytes_per_s == 0 ? 0 : static_cast<TimePs>(bytes * kPsPerSecond / bytes_per_s);
}

/// Time of a request whose algorithm and chunks are set: the algorithm's closed form with nothing shared, or
/// the time of the busiest link if that is longer. Exact to the picosecond where no link, port or DMA engine
/// is shared and the pieces are of equal size.
TimePs closed_form_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// The same, but of programs that share links what short runs say (short_run.h), if they can.
TimePs predicted_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// What no algorithm can beat: latencies, the NPUs' ports and links, and every straight cut of a mesh or
/// uplink of a tree of switches; of up to 256 members the tightest cut or partition of all links
/// (bounds::tight_bound); of an all-to-all also how many links its messages cross. On a fabric that
/// does not reduce also what all NPUs together must send.
TimePs bound_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// The same for collectives that begin at the same time: ports, links and cuts carry what all of them must
/// move. No bound for the first of them to end.
TimePs joint_bound_ps(const std::vector<CollectiveRequest>& requests, const FabricTraits& fabric);

}  // namespace wafertlm
