// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/config/origins.h"
#include "platform/libra/bandwidth_problem.h"
#include "platform/optimize/search.h"

namespace wafertlm::optimize {

/// A number that varies, or one of some texts. `{name}` in `set` stands for it.
struct VariableSpec {
  std::string name;
  double from = 0, to = 0, step = 0;
  std::vector<std::string> values;  ///< in place of numbers
  double price = 0;                 ///< of one unit

  bool is_number() const { return values.empty(); }
};

enum class Goal : std::uint8_t { time, cost, time_cost, energy };

/// LIBRA's files of the same network, workload and groups: the analytic model as a first fidelity. Its
/// dimension d is the variable named d-th in `dimensions`, in GB/s.
struct LibraModelSpec {
  std::string network, workload, communicator;
  std::vector<std::string> dimensions;
};

/// A file for `wafertlm optimize`.
struct OptimizeSpec {
  std::string name;
  std::string experiment;           ///< absolute
  std::vector<std::string> set;     ///< overrides with {variable}
  std::vector<std::string> coarse;  ///< overrides that make a run cheap: larger packets, fewer layers
  std::vector<VariableSpec> variables;
  std::vector<std::string> constraints;  ///< "inner + outer = 400"
  std::vector<Goal> goals = {Goal::time};
  double fixed_price = 0;
  double most_cost = 0;  ///< 0: no limit
  std::optional<LibraModelSpec> libra;
  std::uint32_t evaluations = 40, coarse_evaluations = 60;
  bool falls_with_bandwidth = true;
  config::Origins origins;

  double cost(const Point& point) const;
  /// With every {variable} replaced.
  std::vector<std::string> overrides(const Point& point, bool coarse_run) const;
  /// "inner 300, outer 100".
  std::string text(const Point& point) const;
  Space space() const;
  /// Those that are no budget of the space: to be kept by leaving points out.
  std::vector<libra::LinearConstraint> rest() const;
};

/// @throws config::ConfigError.
OptimizeSpec load_optimize(const std::string& path);

}  // namespace wafertlm::optimize
