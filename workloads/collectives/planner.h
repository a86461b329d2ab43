// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/fabric_traits.h"
#include "tlm/program.h"

namespace wafertlm {

/// What the user may ask for; `algorithm` empty: the planner chooses.
struct CollectiveRequest {
  CollectiveType type{};
  Group group;               ///< position = rank
  std::uint64_t bytes = 0;   ///< full vector per rank (nccl-tests convention)
  std::string algorithm;     ///< ring, bidirectional_ring, direct
  std::uint32_t chunks = 1;  ///< per direction of a ring
  DataType data_type{};      ///< of the values in functional mode
};

/// The algorithms that can do a collective, the names as in results.
std::vector<std::string> algorithms_for(CollectiveType type);

/// Positions in the group in the order of a ring: a cycle of neighbours if the group is a whole rectangle
/// with an even side, else in a snake along the rows.
std::vector<std::uint32_t> ring_order(const Group& group, const FabricTraits& fabric);

/// Rings along both directions when the ring is a cycle of neighbours, so that they share no link; else one.
/// All-to-all is direct.
/// @throws std::invalid_argument: an empty group, an NPU twice or not on the wafer, an algorithm that cannot
/// do it.
std::shared_ptr<const CollectiveProgram> plan_collective(const CollectiveRequest& request,
                                                         const FabricTraits& fabric);

/// Costs that the result is printed beside, from the plan and the fabric alone (reference: collectives.md).
struct CollectiveCost {
  TimePs predicted_ps = 0;  ///< closed form of the algorithm, nothing shared
  TimePs bound_ps = 0;      ///< no algorithm without in-network reduction can be faster
};
CollectiveCost cost_of(const CollectiveProgram& program, const CollectiveRequest& request,
                       const FabricTraits& fabric);

/// busbw = size / time × factor, as nccl-tests prints it.
double bus_factor(CollectiveType type, std::size_t ranks);

}  // namespace wafertlm
