// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/topology.h"

namespace wafertlm {

/// A ring of more than two in which all are neighbours.
bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const Topology& topology);

/// The rank with the least latency to the one farthest from it; the lowest of several.
std::uint32_t centre_rank(const Group& group, const Topology& topology);

}  // namespace wafertlm
