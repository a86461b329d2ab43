// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/kriging.h"

#include <nlopt.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace wafertlm::optimize {
namespace {

using Vector = Kriging::Vector;

constexpr double kNugget = 1e-9;  // keeps the matrix positive definite where points are close
constexpr double kShortest = 0.05, kLongest = 20;

/// Matérn's, ν = 5/2.
double correlation(const Vector& a, const Vector& b, const Vector& lengths) {
  double all = 1;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double r = std::sqrt(5.0) * std::abs(a[d] - b[d]) / lengths[d];
    all *= (1 + r + r * r / 3) * std::exp(-r);
  }
  return all;
}

Eigen::VectorXd correlations(const std::vector<Vector>& points, const Vector& with, const Vector& lengths) {
  Eigen::VectorXd all(points.size());
  std::transform(points.begin(), points.end(), all.begin(),
                 [&](const Vector& point) { return correlation(point, with, lengths); });
  return all;
}

Vector exponentials(const double* logarithms, std::size_t count) {
  Vector all(logarithms, logarithms + count);
  for (double& each : all) each = std::exp(each);
  return all;
}

}  // namespace

/// For given lengths.
struct Kriging::Fit {
  Eigen::LLT<Eigen::MatrixXd> factor;  // R = L Lᵀ
  Eigen::VectorXd weights, ones;       // R⁻¹ (y − µ), L⁻¹ 1
  double mean = 0, variance = 0, information = 1;

  Fit(const std::vector<Vector>& points, const Vector& values, const Vector& lengths) {
    const auto count = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd matrix = kNugget * Eigen::MatrixXd::Identity(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
      matrix.col(i) += correlations(points, points[static_cast<std::size_t>(i)], lengths);
    factor.compute(matrix);
    ones = factor.matrixL().solve(Eigen::VectorXd::Ones(count));
    information = ones.squaredNorm();
    Eigen::VectorXd whitened =
        factor.matrixL().solve(Eigen::Map<const Eigen::VectorXd>(values.data(), count));
    mean = ones.dot(whitened) / information;
    whitened -= mean * ones;
    weights = factor.matrixU().solve(whitened);
    variance = std::max(whitened.squaredNorm() / static_cast<double>(count), 1e-300);
  }
  /// −2 ln likelihood but for a constant.
  double unlikeliness() const {
    return static_cast<double>(ones.size()) * std::log(variance) +
           2 * factor.matrixLLT().diagonal().array().log().sum();
  }
};

Kriging::Kriging(std::vector<Vector> points, const Vector& values) : points_(std::move(points)) {
  const std::size_t count = points_.front().size();
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(
      nlopt_create(NLOPT_LN_SBPLX, static_cast<unsigned>(count)), nlopt_destroy);
  nlopt_set_lower_bounds1(optimizer.get(), std::log(kShortest));
  nlopt_set_upper_bounds1(optimizer.get(), std::log(kLongest));
  nlopt_set_initial_step1(optimizer.get(), 0.7);
  auto all = std::tie(points_, values);
  nlopt_set_min_objective(
      optimizer.get(),
      [](unsigned size, const double* at, double*, void* of) {
        const auto& [from, measured] = *static_cast<decltype(all)*>(of);
        return Fit(from, measured, exponentials(at, size)).unlikeliness();
      },
      &all);
  nlopt_set_xtol_rel(optimizer.get(), 1e-3);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(40 * count));
  Vector logarithms(count, 0);
  double least = 0;
  nlopt_optimize(optimizer.get(), logarithms.data(), &least);
  lengths_ = exponentials(logarithms.data(), count);
  fit_ = std::make_unique<const Fit>(points_, values, lengths_);
}

Kriging::~Kriging() = default;

Kriging::Prediction Kriging::at(const Vector& point) const {
  const Eigen::VectorXd near = correlations(points_, point, lengths_);
  const Eigen::VectorXd whitened = fit_->factor.matrixL().solve(near);
  // What the estimate of the mean adds is the last part.
  const double of_mean = 1 - fit_->ones.dot(whitened),
               part = 1 - whitened.squaredNorm() + of_mean * of_mean / fit_->information;
  return {fit_->mean + near.dot(fit_->weights), std::sqrt(fit_->variance * std::max(part, 0.0))};
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
