// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace wafertlm::bounds {

/// A linear program that grows by columns: minimize cost · x, x >= 0, with every row at most its limit.
/// Solved in floating point (CLP, the simplex method of COIN-OR): who needs exact results checks what it
/// finds.
class LinearProgram {
 public:
  using Entries = std::vector<std::pair<std::size_t, double>>;  ///< row and coefficient, rows ascending

  explicit LinearProgram(const std::vector<double>& row_limits);
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  /// @return its number, 0, 1, …
  std::size_t add_column(double cost, const Entries& entries);
  /// From the last solution on. False: none was found.
  bool solve();
  double objective() const;
  /// By column.
  std::vector<double> values() const;
  /// By row: how much the objective falls with the limit; not negative.
  std::vector<double> prices() const;

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace wafertlm::bounds
