// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace wafertlm::statistics {

/// Values of one kind, sorted.
class Distribution {
 public:
  Distribution() = default;
  explicit Distribution(std::vector<double> values);

  bool empty() const { return values_.empty(); }
  std::size_t count() const { return values_.size(); }
  const std::vector<double>& values() const { return values_; }
  double sum() const { return sum_; }
  double mean() const { return empty() ? 0 : sum_ / static_cast<double>(count()); }
  /// The smallest value that `part` of the values do not exceed; 0 of none. Requires 0 <= part <= 1.
  double quantile(double part) const;

 private:
  std::vector<double> values_;
  double sum_ = 0;
};

/// The largest difference between both cumulative distributions, 0 to 1 (two-sample Kolmogorov-Smirnov).
/// 1 if only one of them is empty.
double kolmogorov_smirnov(const Distribution& a, const Distribution& b);

/// The area between both cumulative distributions, in the unit of the values: how far values must be moved,
/// on average, to make one into the other (earth mover's, or first Wasserstein, distance). 0 if one is empty.
double earth_movers(const Distribution& a, const Distribution& b);

}  // namespace wafertlm::statistics
