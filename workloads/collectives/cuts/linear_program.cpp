// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/linear_program.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <limits>

namespace wafertlm::bounds {

struct LinearProgram::Solver {
  Solver() : model(Clp_newModel()) {}
  ~Solver() { Clp_deleteModel(model); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  Clp_Simplex* model;
  std::size_t rows = 0, columns = 0;
};

LinearProgram::LinearProgram(const std::vector<double>& row_limits) : solver_(std::make_unique<Solver>()) {
  Clp_setLogLevel(solver_->model, 0);
  solver_->rows = row_limits.size();
  const std::vector<double> lower(row_limits.size(), -std::numeric_limits<double>::max());
  const std::vector<CoinBigIndex> starts(row_limits.size() + 1, 0);
  const int no_column = 0;
  const double no_value = 0;
  Clp_addRows(solver_->model, static_cast<int>(row_limits.size()), lower.data(), row_limits.data(),
              starts.data(), &no_column, &no_value);
}

LinearProgram::~LinearProgram() = default;

std::size_t LinearProgram::add_column(double cost, const Entries& entries) {
  std::vector<int> rows;
  std::vector<double> coefficients;
  for (const auto& [row, coefficient] : entries) {
    rows.push_back(static_cast<int>(row));
    coefficients.push_back(coefficient);
  }
  const double least = 0, most = std::numeric_limits<double>::max();
  const CoinBigIndex starts[] = {0, static_cast<CoinBigIndex>(entries.size())};
  Clp_addColumns(solver_->model, 1, &least, &most, &cost, starts, rows.data(), coefficients.data());
  return solver_->columns++;
}

bool LinearProgram::solve() {
  Clp_primal(solver_->model, 0);
  return Clp_status(solver_->model) == 0;
}

double LinearProgram::objective() const { return Clp_objectiveValue(solver_->model); }

std::vector<double> LinearProgram::values() const {
  const double* const values = Clp_primalColumnSolution(solver_->model);
  return {values, values + solver_->columns};
}

std::vector<double> LinearProgram::prices() const {
  const double* const duals = Clp_dualRowSolution(solver_->model);
  std::vector<double> prices(solver_->rows);
  std::transform(duals, duals + solver_->rows, prices.begin(),
                 [](double dual) { return std::max(0.0, -dual); });
  return prices;
}

}  // namespace wafertlm::bounds
