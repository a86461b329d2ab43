// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "workloads/models/nearest.h"

namespace wafertlm::model {

std::string nearest_divisors(std::uint64_t number, std::uint64_t wanted) {
  std::uint64_t below = 0, above = 0;
  const auto take = [&](std::uint64_t divisor) {
    if (divisor <= wanted && divisor > below) below = divisor;
    if (divisor >= wanted && (above == 0 || divisor < above)) above = divisor;
  };
  for (std::uint64_t low = 1; low <= number / low; ++low) {
    if (number % low != 0) continue;
    take(low);
    take(number / low);
  }
  if (above == 0 || below == above) return std::to_string(below);
  return below == 0 ? std::to_string(above) : fmt::format("{} or {}", below, above);
}

}  // namespace wafertlm::model
