// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/libra_fidelity.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "platform/commands/libra/inputs.h"

namespace wafertlm::optimize {

LibraFidelity::LibraFidelity(const OptimizeSpec& spec) : spec_(spec) {
  const libra::Network network = libra::read_network(spec.libra->network);
  if (network.dimensions.size() != spec.libra->dimensions.size())
    throw std::invalid_argument(fmt::format("libra.dimensions names {} variables for the {} dimensions of {}",
                                            spec.libra->dimensions.size(), network.dimensions.size(),
                                            spec.libra->network));
  std::size_t without_group = 0;
  const libra::Load load{spec.name, astra_text::read_text_workload(spec.libra->workload),
                         libra::read_communicator(spec.libra->communicator, network)};
  time_ = libra::time_problem(load, network, without_group);
  wires_ = libra::wire_factors(load, network);
  for (const libra::NetworkDimension& each : network.dimensions)
    link_shares_.push_back(libra::link_share(each));
  for (const std::string& name : spec.libra->dimensions)
    for (std::size_t i = 0; i < spec.variables.size(); ++i)
      if (spec.variables[i].name == name) variables_.push_back(i);
  if (variables_.size() != spec.variables.size()) return;
  std::vector<libra::LinearConstraint> constraints = spec.rest();
  if (const auto budget = spec.space().budget)
    constraints.push_back(
        {budget->coefficients, libra::LinearConstraint::Sense::equal, budget->limit, "budget"});
  for (libra::LinearConstraint& each : constraints) {
    std::vector<double> by_dimension;
    for (const std::size_t variable : variables_) by_dimension.push_back(each.coefficients[variable]);
    each.coefficients = by_dimension;
  }
  time_.constraints = constraints;
  try {
    optimum_ = libra::minimize(time_);
  } catch (const std::invalid_argument&) {
    // Nothing bounds the bandwidths but the ranges of the variables: no start, still a figure beside the
    // others.
  }
}

std::vector<double> LibraFidelity::bandwidths_of(const Point& point) const {
  std::vector<double> bandwidths;
  for (const std::size_t variable : variables_) bandwidths.push_back(point[variable]);
  return bandwidths;
}

double LibraFidelity::time_s(const Point& point) const { return time_.value(bandwidths_of(point)) / 1e9; }

model_gap::Question LibraFidelity::question(const Point& point, Cell experiment) const {
  return {std::move(experiment), time_, bandwidths_of(point), link_shares_, 32, "0 ps", wires_};
}

Point LibraFidelity::point_of(const std::vector<double>& bandwidths) const {
  Point point(spec_.variables.size(), 0);
  for (std::size_t d = 0; d < variables_.size(); ++d) point[variables_[d]] = bandwidths[d];
  return point;
}

std::optional<Point> LibraFidelity::optimum() const {
  return optimum_ ? std::optional<Point>(point_of(optimum_->bandwidths)) : std::nullopt;
}

std::optional<double> LibraFidelity::bound_s() const {
  return optimum_ ? std::optional<double>(optimum_->lower_bound / 1e9) : std::nullopt;
}

std::vector<Point> LibraFidelity::front(std::size_t count) const {
  std::vector<Point> front;
  if (!optimum_) return front;
  libra::BandwidthProblem problem = time_;
  libra::LinearConstraint cost{{}, libra::LinearConstraint::Sense::at_most, 0, "cost"};
  double most = 0;
  for (std::size_t d = 0; d < variables_.size(); ++d) {
    cost.coefficients.push_back(spec_.variables[variables_[d]].price);
    most += cost.coefficients[d] * optimum_->bandwidths[d];
  }
  for (std::size_t i = 0; i < count && most > 0; ++i) {
    cost.limit = most * std::pow(0.05, static_cast<double>(i) / static_cast<double>(count));
    problem.constraints = time_.constraints;
    problem.constraints.push_back(cost);
    try {
      front.push_back(point_of(libra::minimize(problem).bandwidths));
    } catch (const std::invalid_argument&) {
      break;  // so little money does not fulfil the other constraints
    }
  }
  return front;
}

}  // namespace wafertlm::optimize
