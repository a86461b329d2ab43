// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/sampled/estimate.h"

#include <boost/math/distributions/students_t.hpp>
#include <limits>

namespace wafertlm {

double student_t_95(std::uint64_t degrees_of_freedom) {
  if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
  static std::vector<double> known;  // by degrees of freedom - 1
  constexpr std::uint64_t kNearlyNormal = 1000;
  degrees_of_freedom = std::min(degrees_of_freedom, kNearlyNormal);
  while (known.size() < degrees_of_freedom)
    known.push_back(
        boost::math::quantile(boost::math::students_t(static_cast<double>(known.size() + 1)), 0.975));
  return known[degrees_of_freedom - 1];
}

double DeviationEstimate::ratio() const {
  double expected_sum = 0, found_sum = 0;
  for (const auto& [expected, found] : pairs_) {
    expected_sum += expected;
    found_sum += found;
  }
  return expected_sum == 0 ? 1 : found_sum / expected_sum;
}

double DeviationEstimate::deviation() const { return ratio() - 1; }

double DeviationEstimate::standard_error() const {
  if (pairs_.size() < 2) return std::numeric_limits<double>::infinity();
  const double ratio_of_sums = ratio(), n = static_cast<double>(pairs_.size());
  double expected_sum = 0, squares = 0;
  for (const auto& [expected, found] : pairs_) {
    expected_sum += expected;
    squares += (found - ratio_of_sums * expected) * (found - ratio_of_sums * expected);
  }
  return std::sqrt(squares / (n * (n - 1))) / (expected_sum / n);
}

}  // namespace wafertlm
