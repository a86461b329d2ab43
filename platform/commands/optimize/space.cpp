// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platform/commands/optimize/search.h"

namespace wafertlm::optimize {

double Axis::rounded(double value) const {
  if (step <= 0) return std::clamp(value, from, to);
  const double most = std::floor((to - from) / step + 1e-9);  // `to` need not be a whole number of steps
  return std::min(from + step * std::clamp(std::round((value - from) / step), 0.0, most), to);
}

Point Space::middle() const {
  Point point;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<Budget>& shared = budget ? budget : limit;
    if (shared)
      point.push_back(shared->limit / shared->coefficients[i] / static_cast<double>(axes.size()));
    else
      point.push_back(axes[i].is_logarithmic() ? std::sqrt(axes[i].from * axes[i].to)
                                               : (axes[i].from + axes[i].to) / 2);
    point.back() = axes[i].rounded(point.back());
  }
  return point;
}

}  // namespace wafertlm::optimize
