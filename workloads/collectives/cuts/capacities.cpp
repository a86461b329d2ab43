// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/capacities.h"

#include <algorithm>
#include <numeric>

#include "tlm/kernel/units.h"

namespace wafertlm::bounds {

std::uint64_t capacity_unit(const std::vector<std::uint64_t>& weights, std::uint64_t factor) {
  std::uint64_t divisor = 0;
  Uint128 sum = 0;
  for (const std::uint64_t weight : weights) {
    divisor = std::gcd(divisor, weight);
    sum += weight;
  }
  const auto needed = static_cast<std::uint64_t>((sum * factor >> 62) + 1);
  return std::max({divisor, needed, std::uint64_t{1}});
}

}  // namespace wafertlm::bounds
