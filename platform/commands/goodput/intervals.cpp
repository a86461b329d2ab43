// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/intervals.h"

#include <array>
#include <cmath>

namespace wafertlm::goodput {

double young_interval(const Checkpointing& of) { return std::sqrt(2 * of.checkpoint_s * of.mtbf_s); }

double daly_interval(const Checkpointing& of) {
  const double half = of.checkpoint_s / (2 * of.mtbf_s);
  if (half >= 1) return of.mtbf_s;
  return young_interval(of) * (1 + std::sqrt(half) / 3 + half / 9) - of.checkpoint_s;
}

double exact_interval(const Checkpointing& of) {
  const auto is_below = [&](double interval) {
    return std::log1p(-interval / of.mtbf_s) + (interval + of.checkpoint_s) / of.mtbf_s > 0;
  };
  double low = 0, high = of.mtbf_s;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (is_below(middle) ? low : high) = middle;
  }
  return low;
}

double expected_goodput(const Checkpointing& of, double interval_s) {
  return interval_s / (of.mtbf_s * std::exp(of.restart_s / of.mtbf_s) *
                       std::expm1((interval_s + of.checkpoint_s) / of.mtbf_s));
}

double fitted_interval(const std::vector<std::pair<double, double>>& points) {
  // Intervals in units of the middle one: the normal equations are then well conditioned.
  const double unit = points[points.size() / 2].first;
  std::array<std::array<double, 4>, 3> rows{};
  for (const auto& [interval, goodput] : points) {
    const std::array<double, 4> terms{1, interval / unit, unit / interval, 1 / goodput};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) rows[i][j] += terms[i] * terms[j];
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t below = 0; below < 3; ++below) {
      if (below == i) continue;
      const double factor = rows[below][i] / rows[i][i];
      for (std::size_t j = 0; j < 4; ++j) rows[below][j] -= factor * rows[i][j];
    }
  const double slope = rows[1][3] / rows[1][1], inverse = rows[2][3] / rows[2][2];
  return slope > 0 && inverse > 0 ? unit * std::sqrt(inverse / slope) : 0;
}

}  // namespace wafertlm::goodput
