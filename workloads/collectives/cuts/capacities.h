// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::bounds {

/// The unit in which weights become capacities of a network: their common divisor, at least 1. If the sum in
/// that unit times the factor needs more than 62 bits, the least unit with which it does not: then capacities
/// are rounded down, and what is found is the best to within the number of weights times the unit. (Weights
/// of what is found are added up exactly all the same.)
std::uint64_t capacity_unit(const std::vector<std::uint64_t>& weights, std::uint64_t factor);

}  // namespace wafertlm::bounds
