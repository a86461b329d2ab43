// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/commands/yield/yield_study.h"

namespace wafertlm::wafer_yield {

double ComparedRow::sigmas() const {
  if (drawn == formula) return 0;
  return std::abs(drawn - formula) / error;
}

double at_most(std::uint32_t most, const std::vector<std::pair<std::uint32_t, double>>& trials) {
  // Probabilities of 0 to `most` failures so far.
  std::vector<double> sum(std::size_t{most} + 1);
  sum[0] = 1;
  for (const auto& [count, failure] : trials) {
    if (failure <= 0) continue;
    if (failure >= 1 && count > most) return 0;
    std::vector<double> next(sum.size());
    for (std::uint32_t fails = 0; fails <= std::min(most, count); ++fails) {
      const double chance = failure >= 1
                                ? (fails == count ? 1 : 0)
                                : std::exp(std::lgamma(count + 1.0) - std::lgamma(fails + 1.0) -
                                           std::lgamma(count - fails + 1.0) + fails * std::log(failure) +
                                           (count - fails) * std::log1p(-failure));
      for (std::uint32_t before = 0; before + fails <= most; ++before)
        next[before + fails] += sum[before] * chance;
    }
    sum = std::move(next);
  }
  double all = 0;
  for (const double each : sum) all += each;
  return std::min(all, 1.0);
}

std::pair<double, double> wilson_interval(double hits, double trials) {
  constexpr double kZ = 1.959964;
  const double share = hits / trials, scale = 1 + kZ * kZ / trials,
               middle = (share + kZ * kZ / (2 * trials)) / scale,
               half = kZ / scale * std::sqrt(share * (1 - share) / trials + kZ * kZ / (4 * trials * trials));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace wafertlm::wafer_yield
