// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platform/commands/libra/bandwidth_problem.h"

namespace wafertlm::libra {
namespace {

using Columns = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Least squares over some of the columns: Gram and Schmidt, twice for its accuracy. Columns that depend on
/// others get 0.
std::vector<double> least_squares(const Columns& columns, const std::vector<std::size_t>& chosen,
                                  const std::vector<double>& right) {
  const std::size_t count = chosen.size();
  Columns basis, triangle(count, std::vector<double>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> column = columns[chosen[i]];
    const double length = std::sqrt(dot(column, column));
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t j = 0; j < i; ++j) {
        const double part = dot(basis[j], column);
        triangle[j][i] += part;
        for (std::size_t row = 0; row < column.size(); ++row) column[row] -= part * basis[j][row];
      }
    const double rest = std::sqrt(dot(column, column));
    const bool depends = rest <= 1e-12 * length;
    triangle[i][i] = depends ? 0 : rest;
    for (double& entry : column) entry = depends ? 0 : entry / rest;
    basis.push_back(std::move(column));
  }
  std::vector<double> solution(count, 0);
  for (std::size_t i = count; i-- > 0;) {
    if (triangle[i][i] == 0) continue;
    double sum = dot(basis[i], right);
    for (std::size_t j = i + 1; j < count; ++j) sum -= triangle[i][j] * solution[j];
    solution[i] = sum / triangle[i][i];
  }
  return solution;
}

std::vector<std::size_t> indices_of(const std::vector<bool>& chosen) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) indices.push_back(i);
  return indices;
}

/// Moves `x` towards the least squares of the columns in use as far as it stays non-negative, and drops those
/// that become 0, until it is there.
void move_inside(const Columns& columns, const std::vector<double>& right, std::vector<bool>& in_use,
                 std::vector<double>& x) {
  for (std::size_t turn = 0; turn <= columns.size(); ++turn) {
    const std::vector<std::size_t> chosen = indices_of(in_use);
    const std::vector<double> target = least_squares(columns, chosen, right);
    double step = 1;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (target[i] <= 0) step = std::min(step, x[chosen[i]] / std::max(1e-300, x[chosen[i]] - target[i]));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      double& each = x[chosen[i]];
      each += step * (target[i] - each);
      if (step < 1 && target[i] <= 0 && each <= 1e-14 * std::abs(target[i]) + 1e-300) {
        each = 0;
        in_use[chosen[i]] = false;
      }
    }
    if (step == 1) return;
  }
}

}  // namespace

std::vector<double> non_negative_least_squares(const Columns& columns, const std::vector<double>& right) {
  std::vector<double> x(columns.size(), 0);
  std::vector<bool> in_use(columns.size(), false);
  for (std::size_t turn = 0; turn < 3 * columns.size() + 10; ++turn) {
    std::vector<double> rest = right;
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t row = 0; row < rest.size(); ++row) rest[row] -= x[i] * columns[i][row];
    std::size_t steepest = columns.size();
    double most = 1e-14 * std::sqrt(dot(right, right));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double length = std::sqrt(dot(columns[i], columns[i]));
      const double slope = length == 0 ? 0 : dot(columns[i], rest) / length;
      if (!in_use[i] && slope > most) {
        most = slope;
        steepest = i;
      }
    }
    if (steepest == columns.size()) break;
    in_use[steepest] = true;
    move_inside(columns, right, in_use, x);
  }
  return x;
}

}  // namespace wafertlm::libra
