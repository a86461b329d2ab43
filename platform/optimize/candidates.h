// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/optimize/spec.h"
#include "platform/study/cell_runner.h"

namespace wafertlm::optimize {

/// A point that was asked for.
struct Candidate {
  Point point;
  double cost = 0;
  std::optional<double> time_s, energy_j, coarse_s, libra_s;
  std::string refused;  ///< why it was not simulated, or failed; empty: it was

  /// The goal's value; infinity: it has none.
  double value(Goal goal) const;
};

/// Runs candidates with an engine of studies: results in folder/cells, known ones are not run again.
class Candidates {
 public:
  /// The current folder is that of the file. @throws std::invalid_argument: LIBRA's files do not fit.
  Candidates(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine);
  ~Candidates();

  /// Each of these simulated, as many at a time as may be; in the order of the points.
  std::vector<const Candidate*> simulated(const std::vector<Point>& points);
  /// The same of cheap runs.
  std::vector<const Candidate*> coarse(const std::vector<Point>& points);
  /// LIBRA's optimum under the constraints, if there is its model.
  std::optional<Point> libra_optimum() const;
  /// Its optima at several limits of the cost, from the dearest down: points of its front of time and cost.
  std::vector<Point> libra_front(std::size_t count) const;
  /// No bandwidths within the budget are faster, by LIBRA's model (no latency, no contention).
  std::optional<double> libra_bound_s() const;

  /// In the order in which they were first asked for.
  const std::vector<std::unique_ptr<Candidate>>& all() const { return all_; }
  std::size_t simulations() const;

 private:
  struct Libra;

  Candidate& of(const Point& point);
  void run(const std::vector<Candidate*>& wanted, bool coarse_run);
  std::string refusal(const Point& point) const;

  const OptimizeSpec& spec_;
  config::StudySpec study_;
  std::vector<libra::LinearConstraint> rest_;
  std::unique_ptr<CellRunner> runner_;
  std::unique_ptr<Libra> libra_;
  std::vector<std::unique_ptr<Candidate>> all_;
};

/// Spearman's rank correlation; nullopt with fewer than 3 pairs, or without any order in one of them.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace wafertlm::optimize
