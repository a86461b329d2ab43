// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/kriging.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace wafertlm::optimize {
namespace {

using Vector = Kriging::Vector;

constexpr double kNugget = 1e-9;  // keeps the matrix positive definite where points are close
constexpr double kShortest = 0.05, kLongest = 20;

/// x of L x = b.
Vector forward(const std::vector<Vector>& factor, const Vector& b) {
  Vector x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    double sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor[i][k] * x[k];
    x[i] = sum / factor[i][i];
  }
  return x;
}

/// x of Lᵀ x = b.
Vector backward(const std::vector<Vector>& factor, const Vector& b) {
  Vector x(b.size());
  for (std::size_t i = b.size(); i-- > 0;) {
    double sum = b[i];
    for (std::size_t k = i + 1; k < b.size(); ++k) sum -= factor[k][i] * x[k];
    x[i] = sum / factor[i][i];
  }
  return x;
}

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Kriging::Kriging(std::vector<Vector> points, const Vector& values)
    : points_(std::move(points)), values_(values) {
  const std::size_t count = points_.front().size();
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(
      nlopt_create(NLOPT_LN_SBPLX, static_cast<unsigned>(count)), nlopt_destroy);
  nlopt_set_lower_bounds1(optimizer.get(), std::log(kShortest));
  nlopt_set_upper_bounds1(optimizer.get(), std::log(kLongest));
  nlopt_set_initial_step1(optimizer.get(), 0.7);
  nlopt_set_min_objective(
      optimizer.get(),
      [](unsigned size, const double* at, double*, void* self) {
        Vector lengths(at, at + size);
        for (double& each : lengths) each = std::exp(each);
        return static_cast<Kriging*>(self)->fit(lengths);
      },
      this);
  nlopt_set_xtol_rel(optimizer.get(), 1e-3);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(40 * count));
  Vector logarithms(count, 0);
  double likelihood = 0;
  nlopt_optimize(optimizer.get(), logarithms.data(), &likelihood);
  for (double& each : logarithms) each = std::exp(each);
  fit(logarithms);
}

double Kriging::correlation(const Vector& a, const Vector& b) const {
  double all = 1;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double r = std::sqrt(5.0) * std::abs(a[d] - b[d]) / lengths_[d];
    all *= (1 + r + r * r / 3) * std::exp(-r);
  }
  return all;
}

double Kriging::fit(const Vector& lengths) {
  lengths_ = lengths;
  const std::size_t count = points_.size();
  factor_.assign(count, Vector(count, 0));
  double determinant = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = correlation(points_[i], points_[j]) + (i == j ? kNugget : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
      if (i == j) {
        factor_[i][i] = std::sqrt(std::max(sum, kNugget / 100));
        determinant += 2 * std::log(factor_[i][i]);
      } else {
        factor_[i][j] = sum / factor_[j][j];
      }
    }
  ones_ = forward(factor_, Vector(count, 1));
  information_ = product(ones_, ones_);
  mean_ = product(ones_, forward(factor_, values_)) / information_;
  Vector rest = values_;
  for (double& each : rest) each -= mean_;
  const Vector whitened = forward(factor_, rest);
  weights_ = backward(factor_, whitened);
  const auto n = static_cast<double>(count);
  variance_ = std::max(product(whitened, whitened) / n, 1e-300);
  return n * std::log(variance_) + determinant;
}

Kriging::Prediction Kriging::at(const Vector& point) const {
  Vector near;
  near.reserve(points_.size());
  for (const Vector& each : points_) near.push_back(correlation(point, each));
  const Vector whitened = forward(factor_, near);
  // What the estimate of the mean adds is the last part.
  const double of_mean = 1 - product(ones_, whitened),
               part = 1 - product(whitened, whitened) + of_mean * of_mean / information_;
  return {mean_ + product(near, weights_), std::sqrt(variance_ * std::max(part, 0.0))};
}

double Kriging::expected_improvement(const Vector& point, double least) const {
  const Prediction here = at(point);
  const double gain = least - here.mean;
  if (here.deviation < 1e-150) return std::max(gain, 0.0);
  constexpr double kHalf = 0.70710678118654752440, kDensity = 0.39894228040143267794;  // 1/√2, 1/√(2π)
  const double z = gain / here.deviation;
  return gain * std::erfc(-z * kHalf) / 2 + here.deviation * kDensity * std::exp(-z * z / 2);
}

}  // namespace wafertlm::optimize
