// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "platform/commands/libra/difference.h"
#include "platform/commands/optimize/spec.h"

namespace wafertlm::optimize {

/// LIBRA's model of what is optimised, by the variables that are its bandwidths.
class LibraFidelity {
 public:
  /// @throws std::invalid_argument: LIBRA's files do not fit each other or the variables.
  explicit LibraFidelity(const OptimizeSpec& spec);

  /// The iteration time, no latency and no contention.
  double time_s(const Point& point) const;
  /// Its optimum under the constraints; nullopt: nothing bounds the bandwidths, or there are other variables.
  std::optional<Point> optimum() const;
  /// No bandwidths within the constraints are faster.
  std::optional<double> bound_s() const;
  /// Its optima at `count` limits of the cost, from the dearest down: points of its front of time and cost.
  std::vector<Point> front(std::size_t count) const;
  /// What the simulation of an experiment is compared with at a point. The result refers to this.
  model_gap::Question question(const Point& point, Cell experiment) const;

 private:
  std::vector<double> bandwidths_of(const Point& point) const;
  Point point_of(const std::vector<double>& bandwidths) const;

  const OptimizeSpec& spec_;
  libra::BandwidthProblem time_;
  std::vector<std::size_t> variables_;  // by dimension
  std::optional<libra::Optimum> optimum_;
  std::vector<double> link_shares_;  // by dimension
  std::vector<std::vector<double>> wires_;
};

}  // namespace wafertlm::optimize
