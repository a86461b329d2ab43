// SPDX-License-Identifier: Apache-2.0
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "platform/commands/libra/bandwidth_problem.h"

namespace wafertlm::libra {
namespace {

using Eigen::Index;

std::vector<Index> indices_of(const std::vector<bool>& chosen) {
  std::vector<Index> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) indices.push_back(static_cast<Index>(i));
  return indices;
}

/// Moves `x` towards the least squares of the columns in use as far as it stays non-negative, and drops those
/// that become 0, until it is there. Columns that depend on others get 0.
void move_inside(const Eigen::MatrixXd& columns, const Eigen::VectorXd& right, std::vector<bool>& in_use,
                 Eigen::VectorXd& x) {
  for (Index turn = 0; turn <= columns.cols(); ++turn) {
    const std::vector<Index> chosen = indices_of(in_use);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> used(columns(Eigen::all, chosen));
    const Eigen::VectorXd target = used.setThreshold(1e-12).solve(right);
    double step = 1;
    for (Index i = 0; i < target.size(); ++i) {
      const double from = x[chosen[static_cast<std::size_t>(i)]];
      if (target[i] <= 0) step = std::min(step, from / std::max(1e-300, from - target[i]));
    }
    for (Index i = 0; i < target.size(); ++i) {
      const Index column = chosen[static_cast<std::size_t>(i)];
      x[column] += step * (target[i] - x[column]);
      if (step < 1 && target[i] <= 0 && x[column] <= 1e-14 * std::abs(target[i]) + 1e-300) {
        x[column] = 0;
        in_use[static_cast<std::size_t>(column)] = false;
      }
    }
    if (step == 1) return;
  }
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& right) {
  const auto count = static_cast<Index>(columns.size()), rows = static_cast<Index>(right.size());
  Eigen::MatrixXd matrix(rows, count);
  for (Index i = 0; i < count; ++i)
    matrix.col(i) = Eigen::Map<const Eigen::VectorXd>(columns[static_cast<std::size_t>(i)].data(), rows);
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(right.data(), rows);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(count);
  std::vector<bool> in_use(columns.size(), false);
  for (Index turn = 0; turn < 3 * count + 10; ++turn) {
    const Eigen::VectorXd slopes = matrix.transpose() * (b - matrix * x);
    Index steepest = count;
    double most = 1e-14 * b.norm();
    for (Index i = 0; i < count; ++i) {
      const double length = matrix.col(i).norm(), slope = length == 0 ? 0 : slopes[i] / length;
      if (!in_use[static_cast<std::size_t>(i)] && slope > most) {
        most = slope;
        steepest = i;
      }
    }
    if (steepest == count) break;
    in_use[static_cast<std::size_t>(steepest)] = true;
    move_inside(matrix, b, in_use, x);
  }
  return {x.begin(), x.end()};
}

}  // namespace wafertlm::libra
