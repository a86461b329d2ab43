// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/libra/bandwidth_problem.h"
#include "platform/commands/optimize/search.h"
#include "platform/commands/study/grid/grid.h"
#include "platform/describe/node.h"
#include "platform/describe/origins.h"
#include "platform/spec/study_spec.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::optimize {

/// A number that varies, or one of some texts.
struct VariableSpec {
  std::string name;
  std::string key;   ///< what it is the value of, "wafer.fabric.link_bandwidth"; empty: `set` has {name}
  std::string unit;  ///< behind a number
  std::string axis;  ///< of the study, in place of a key
  double from = 0, to = 0, step = 0;
  std::vector<std::string> values;  ///< in place of numbers
  double price = 0;                 ///< of one unit
  /// Of an axis: what each value adds to a run; one entry for numbers, with {} for the value.
  std::vector<config::AxisValueSpec> adds = {};

  bool is_number() const { return values.empty(); }
  /// "300 GB/s" or the text.
  std::string text(double value) const;
  /// Whether the text has {name}, {name/2} or {name*2}.
  bool stands_in(const std::string& text) const;
};

enum class Goal : std::uint8_t { time, cost, time_cost, energy };

/// LIBRA's files of the same network, workload and groups: the analytic model as a first fidelity. Its
/// dimension d is the variable named d-th in `dimensions`, in GB/s.
struct LibraModelSpec {
  std::string network, workload, communicator;
  std::vector<std::string> dimensions;
};

/// What is optimised: a file for `wafertlm optimize`, or made of an experiment or a study (request.h).
struct OptimizeSpec {
  std::string name;
  std::string experiment, study;    ///< absolute; one of them
  std::vector<std::string> set;     ///< overrides with {variable}
  std::vector<std::string> coarse;  ///< overrides that make a run cheap: larger packets, fewer layers
  std::vector<VariableSpec> variables;
  std::vector<std::string> constraints;  ///< "inner + outer = 400"
  std::vector<std::string> workloads;    ///< files: every candidate runs each of them
  std::string over;  ///< an axis of the study whose values are that, in place of a variable
  std::vector<Goal> goals = {Goal::time};
  std::string costs;  ///< a table for the experiment
  double fixed_price = 0;
  double most_cost = 0, most_power = 0;  ///< 0: no limit
  std::optional<LibraModelSpec> libra;
  bool predictions = false;  ///< as a fidelity between LIBRA's model and cheap runs
  bool explain = false;      ///< why the optimum takes another time than LIBRA's model says
  Method method = Method::automatic;
  std::uint64_t seed = 1;
  std::uint32_t evaluations = 40, coarse_evaluations = 60;
  double host_seconds = 0;  ///< 0: no limit
  bool falls_with_bandwidth = true;
  config::Origins origins;

  /// Made of the above by load_optimize(): what is run for every candidate, and for each of its workloads (or
  /// other cases). `cases` empty: one run without additions.
  Cell base;
  std::vector<config::AxisValueSpec> cases;
  std::vector<config::Selection> except;         ///< of the study
  std::vector<std::string> last_overrides = {};  ///< of the study, behind those of axes

  bool has_prices() const;
  double cost(const Point& point) const;
  /// The run of a case at a point.
  Cell cell(const Point& point, std::size_t number, bool coarse_run) const;
  /// Whether the study leaves this point out.
  bool is_excepted(const Point& point) const;
  /// "inner 300, outer 100".
  std::string text(const Point& point) const;
  Space space() const;
  /// The point with the numbers that texts begin with in place of their places in the list.
  Point numbers(Point point) const;
  /// @throws std::invalid_argument: a name that is no variable, or no constraint.
  libra::LinearConstraint constraint(const std::string& text) const;
  /// Σ positive·variable = limit over all variables, which are numbers without steps.
  bool is_budget(const libra::LinearConstraint& constraint) const;
  /// Those that are no budget of the space: to be kept by leaving points out.
  std::vector<libra::LinearConstraint> rest() const;
};

/// What the value of an axis adds to a run; {} in its texts is `value`.
void add_to(Cell& cell, const config::AxisValueSpec& adds, const std::string& value);

/// @throws config::ConfigError.
OptimizeSpec load_optimize(const std::string& path);
/// The same of a map.
OptimizeSpec load_optimize(config::Node root);
/// The row of such files.
config::FileKind optimize_file_kind();

}  // namespace wafertlm::optimize
