// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/optimize/libra_fidelity.h"
#include "platform/commands/optimize/spec.h"
#include "platform/commands/study/cell_runner.h"

namespace wafertlm::optimize {

/// A point that was asked for.
struct Candidate {
  Point point;
  std::optional<double> cost;        ///< of prices of variables at once, with a table of costs after a run
  std::vector<double> times_s = {};  ///< by workload; empty: not simulated
  /// The iteration time; of several workloads the mean of their times, each in parts of its time at the
  /// reference, times the mean there.
  std::optional<double> time_s = {};
  std::optional<double> energy_j = {}, power_w = {}, compute_s = {}, coarse_s = {}, libra_s = {},
                        predicted_s = {};
  std::string refused = {};  ///< why it was not simulated, or failed, or is no answer; empty: it was

  /// The goal's value; infinity: it has none.
  double value(Goal goal) const;
};

/// Runs candidates with an engine of studies: results in folder/cells, known ones are not run again.
class Candidates {
 public:
  /// The current folder is that of the file. @throws std::invalid_argument: LIBRA's files do not fit.
  Candidates(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine);

  /// Each of these simulated, as many at a time as may be; in the order of the points. The first of all is
  /// the reference of several workloads.
  std::vector<const Candidate*> simulated(const std::vector<Point>& points) {
    return with_runs(points, false);
  }
  /// The same of cheap runs.
  std::vector<const Candidate*> coarse(const std::vector<Point>& points) { return with_runs(points, true); }
  /// The same by predictions (run/predicted_run.h), in this process. What cannot be predicted has none.
  std::vector<const Candidate*> predicted(const std::vector<Point>& points);
  /// Why the first of them had none; empty: all had.
  const std::string& unpredicted() const { return unpredicted_; }
  /// Null without LIBRA's model.
  const LibraFidelity* libra() const { return libra_.get(); }
  /// Whether it keeps to the linear constraints.
  bool is_allowed(const Point& point) const { return refusal(point).empty(); }

  /// In the order in which they were first asked for.
  const std::vector<std::unique_ptr<Candidate>>& all() const { return all_; }
  /// Candidates, each with all its workloads.
  std::size_t simulations() const;

 private:
  using Outcomes = std::vector<CellOutcome>;  ///< of a candidate, by workload

  Candidate& of(const Point& point);
  std::vector<const Candidate*> with_runs(const std::vector<Point>& points, bool coarse_run);
  void run(const std::vector<Candidate*>& wanted, bool coarse_run);
  void take(Candidate& candidate, const Outcomes& outcomes, bool coarse_run);
  double joint(const std::vector<double>& times, std::vector<double>& reference) const;
  std::string refusal(const Point& point) const;
  std::string refusal_of_results(const Candidate& candidate) const;

  const OptimizeSpec& spec_;
  config::StudySpec study_;
  std::vector<libra::LinearConstraint> rest_;
  std::unique_ptr<CellRunner> runner_;
  std::unique_ptr<LibraFidelity> libra_;
  std::vector<std::unique_ptr<Candidate>> all_;
  std::vector<double> reference_, coarse_reference_, predicted_reference_;  // times by workload
  std::string unpredicted_;
};

}  // namespace wafertlm::optimize
