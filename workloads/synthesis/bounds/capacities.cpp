// SPDX-License-Identifier: Apache-2.0
#include "workloads/synthesis/bounds/capacities.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tlm/units.h"

namespace wafertlm::bounds {

std::uint64_t common_divisor(const std::vector<std::uint64_t>& weights) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t weight : weights) divisor = std::gcd(divisor, weight);
  return std::max<std::uint64_t>(divisor, 1);
}

void require_room(const std::vector<std::uint64_t>& weights, std::uint64_t unit, std::uint64_t factor) {
  Uint128 sum = 0;
  for (const std::uint64_t weight : weights) sum += weight / unit;
  if (sum * factor >= Uint128{1} << 62)
    throw std::overflow_error(
        "the bandwidths of the links have no common divisor large enough for exact cuts");
}

}  // namespace wafertlm::bounds
