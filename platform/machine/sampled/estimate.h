// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace wafertlm {

/// Two-sided quantile of Student's t at 95 %: infinite below one degree of freedom.
double student_t_95(std::uint64_t degrees_of_freedom);

/// Mean and spread of values that come one by one (Welford).
class MeanEstimate {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Of the values, unbiased; 0 with fewer than two.
  double variance() const { return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1); }
  /// The mean's confidence interval at 95 % is mean() ± this; infinite with fewer than two values.
  double half_width() const {
    return student_t_95(count_ - (count_ != 0)) * std::sqrt(variance() / static_cast<double>(count_));
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// How far sums that were found are from those that were expected: the ratio estimator of survey sampling,
/// with a pair of sums for each cluster (Cochran, Sampling Techniques, 1977, sections 6.4 and 9A.1).
class DeviationEstimate {
 public:
  void add(double expected, double found) { pairs_.emplace_back(expected, found); }
  std::uint64_t count() const { return pairs_.size(); }
  /// Found / expected - 1; 0 without pairs.
  double deviation() const;
  /// The same's standard error; infinite with fewer than two pairs.
  double standard_error() const;

 private:
  double ratio() const;
  std::vector<std::pair<double, double>> pairs_;
};

}  // namespace wafertlm
