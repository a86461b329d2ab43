// SPDX-License-Identifier: Apache-2.0
#include "workloads/statistics/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace wafertlm::statistics {
namespace {

/// Calls visit(from, to, |F - G|) for each stretch between two neighbouring values of both.
template <typename Visit>
void for_each_stretch(const std::vector<double>& a, const std::vector<double>& b, Visit visit) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const double at = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i] : b[j];
    while (i < a.size() && a[i] == at) ++i;
    while (j < b.size() && b[j] == at) ++j;
    const double below_a = static_cast<double>(i) / static_cast<double>(a.size());
    const double below_b = static_cast<double>(j) / static_cast<double>(b.size());
    double next = at;
    if (i < a.size()) next = a[i];
    if (j < b.size()) next = i < a.size() ? std::min(next, b[j]) : b[j];
    visit(at, next, std::abs(below_a - below_b));
  }
}

}  // namespace

Distribution::Distribution(std::vector<double> values) : values_(std::move(values)) {
  std::sort(values_.begin(), values_.end());
  sum_ = std::accumulate(values_.begin(), values_.end(), 0.0);
}

double Distribution::quantile(double part) const {
  if (empty()) return 0;
  const double rank = std::ceil(part * static_cast<double>(count()));
  return values_[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double kolmogorov_smirnov(const Distribution& a, const Distribution& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? 0 : 1;
  double most = 0;
  for_each_stretch(a.values(), b.values(),
                   [&](double, double, double difference) { most = std::max(most, difference); });
  return most;
}

double earth_movers(const Distribution& a, const Distribution& b) {
  if (a.empty() || b.empty()) return 0;
  double area = 0;
  for_each_stretch(a.values(), b.values(),
                   [&](double from, double to, double difference) { area += (to - from) * difference; });
  return area;
}

}  // namespace wafertlm::statistics
