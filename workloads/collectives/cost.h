// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Time for bytes at a rate (> 0), rounded down: for bounds.
inline TimePs at_least_ps(Uint128 bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(bytes * kPsPerSecond / bytes_per_s);
}

/// Time of a request whose algorithm and chunks are set: the algorithm's closed form with nothing shared, or
/// the time of the busiest link if that is longer. Exact to the picosecond where no link, port or DMA engine
/// is shared and the pieces are of equal size.
TimePs closed_form_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// The same, but of programs that share links what short runs say (short_run.h), if they can.
TimePs predicted_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// What no algorithm can beat: latencies, the NPUs' ports and links, and every straight cut of a mesh or
/// uplink of a tree of switches. On a fabric that does not reduce also what all NPUs together must send.
TimePs bound_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
