// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "platform/commands/partition/chain.h"

namespace wafertlm::partition {

/// The owners with the least sum of costs[i · workers + owner(i)], where every worker gets as many as any
/// other, or one more: an assignment problem, solved as a flow of least cost (LEMON's network simplex).
/// Exact for whole numbers up to 2^52 / (number of costs); others are rounded to that many steps of the
/// largest.
/// @throws std::invalid_argument: costs that are negative or not finite, or not a row for each worker.
Owners least_cost_owners(const std::vector<double>& costs, std::uint32_t workers);

}  // namespace wafertlm::partition
