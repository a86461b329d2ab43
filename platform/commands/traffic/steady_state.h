// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace wafertlm::traffic {

/// How many values at the start are left out as warm-up: MSER-5 (White, Cobb and Spratt 2000), the truncation
/// of means over 5 values that makes the standard error of what is left smallest. 0 for less than 50 values.
std::size_t mser5_truncation(const std::vector<double>& series);

/// Means over 20 equal parts of a series. Parts that are long beside the time over which the series remembers
/// are nearly independent, and a series at rest has means without trend.
struct BatchMeans {
  static constexpr std::size_t kBatches = 20;

  double mean = 0;        ///< of the whole
  double half_width = 0;  ///< of the mean's 95 % confidence interval (Student, 19 degrees of freedom)
  double slope_t = 0;     ///< slope of the regression over the batches' numbers, in its standard errors
  double lag_one = 0;     ///< correlation of each batch with the next
};

/// Of the values from `first` on.
/// @throws std::invalid_argument: fewer than 20 values.
BatchMeans batch_means(const std::vector<double>& series, std::size_t first = 0);

/// Whether a series that was observed for so long is at rest, as far as it can tell: behind its warm-up
/// (MSER-5, at most half of it) its batch means have no trend (t-test, 0.2 %) and are not still correlated
/// (below 0.53, which independent batches exceed in 0.2 %). So a series at rest is refused once in 250, and
/// one of the two that a run of traffic looks at once in 125. A random walk and a queue without spare
/// capacity are refused. Fewer than 100 values tell nothing: false.
bool is_steady(const std::vector<double>& series);

}  // namespace wafertlm::traffic
