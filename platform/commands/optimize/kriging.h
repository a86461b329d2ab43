// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace wafertlm::optimize {

/// Ordinary kriging (Jones, Schonlau and Welch 1998): values as a Gaussian process with an unknown mean and
/// the Matérn correlation with ν = 5/2, a length for each coordinate by maximum likelihood.
class Kriging {
 public:
  using Vector = std::vector<double>;
  struct Prediction {
    double mean = 0, deviation = 0;
  };

  /// @param points in the unit cube, all different @param values one each
  Kriging(std::vector<Vector> points, const Vector& values);

  Prediction at(const Vector& point) const;
  /// E[max(least − value, 0)].
  double expected_improvement(const Vector& point, double least) const;
  const Vector& lengths() const { return lengths_; }

 private:
  double correlation(const Vector& a, const Vector& b) const;
  /// Factorises for these lengths. @return −2 ln likelihood but for a constant.
  double fit(const Vector& lengths);

  std::vector<Vector> points_;
  Vector values_, lengths_;
  std::vector<Vector> factor_;  // Cholesky's, lower
  Vector weights_, ones_;       // R⁻¹ (y − µ), L⁻¹ 1
  double mean_ = 0, variance_ = 0, information_ = 1;
};

}  // namespace wafertlm::optimize
