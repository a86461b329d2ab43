// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::bounds {

/// At least 1.
std::uint64_t common_divisor(const std::vector<std::uint64_t>& weights);

/// @throws std::overflow_error: the sum of the weights, in units, times the factor needs 62 bits or more.
void require_room(const std::vector<std::uint64_t>& weights, std::uint64_t unit, std::uint64_t factor);

}  // namespace wafertlm::bounds
