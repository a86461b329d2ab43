// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
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
  ~Kriging();

  Prediction at(const Vector& point) const;
  /// E[max(least − value, 0)].
  double expected_improvement(const Vector& point, double least) const;
  const Vector& lengths() const { return lengths_; }

 private:
  struct Fit;

  std::vector<Vector> points_;
  Vector lengths_;
  std::unique_ptr<const Fit> fit_;
};

}  // namespace wafertlm::optimize
