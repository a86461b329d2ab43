// SPDX-License-Identifier: Apache-2.0
#include "platform/optimize/candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "platform/config/config_error.h"
#include "platform/libra/inputs.h"

namespace wafertlm::optimize {

/// The analytic model, its dimensions in the order of the variables.
struct Candidates::Libra {
  libra::BandwidthProblem time;
  std::vector<std::size_t> variables;  ///< by dimension
  std::optional<libra::Optimum> optimum;

  double time_s(const Point& point) const {
    std::vector<double> bandwidths;
    for (const std::size_t variable : variables) bandwidths.push_back(point[variable]);
    return time.value(bandwidths) / 1e9;
  }
};

namespace {

std::unique_ptr<config::StudySpec> study_of(const OptimizeSpec& spec) {
  auto study = std::make_unique<config::StudySpec>();
  study->name = spec.name;
  study->command = "run";
  study->file = spec.experiment;
  config::ColumnSpec time;
  time.name = "time";
  time.read = "iteration_time_s";
  study->columns.push_back(time);
  config::ColumnSpec energy;
  energy.name = "energy";
  energy.read = "energy_j.links";
  study->columns.push_back(energy);
  return study;
}

bool near(const Point& a, const Point& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-9 * std::abs(b[i]) + 1e-12) return false;
  return true;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double each : values) {
    double below = 0, same = 0;
    for (const double other : values) {
      below += other < each ? 1 : 0;
      same += other == each ? 1 : 0;
    }
    ranks.push_back(below + (same + 1) / 2);
  }
  return ranks;
}

}  // namespace

double Candidate::value(Goal goal) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!refused.empty()) return kNone;
  switch (goal) {
    case Goal::cost:
      return cost;
    case Goal::energy:
      return energy_j.value_or(kNone);
    case Goal::time_cost:
      return time_s ? *time_s * cost : kNone;
    default:
      return time_s.value_or(kNone);
  }
}

Candidates::Candidates(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine)
    : spec_(spec), study_(*study_of(spec)), rest_(spec.rest()) {
  runner_ = std::make_unique<CellRunner>(study_, folder, std::move(engine));
  if (!spec.libra) return;
  libra_ = std::make_unique<Libra>();
  const libra::Network network = libra::read_network(spec.libra->network);
  if (network.dimensions.size() != spec.libra->dimensions.size())
    throw std::invalid_argument(fmt::format("libra.dimensions names {} variables for the {} dimensions of {}",
                                            spec.libra->dimensions.size(), network.dimensions.size(),
                                            spec.libra->network));
  std::size_t without_group = 0;
  libra_->time = libra::time_problem({spec.name, astra_text::read_text_workload(spec.libra->workload),
                                      libra::read_communicator(spec.libra->communicator, network)},
                                     network, without_group);
  for (const std::string& name : spec.libra->dimensions)
    for (std::size_t i = 0; i < spec.variables.size(); ++i)
      if (spec.variables[i].name == name) libra_->variables.push_back(i);
  if (libra_->variables.size() != spec.variables.size()) return;
  std::vector<libra::LinearConstraint> constraints = rest_;
  if (const auto budget = spec.space().budget)
    constraints.push_back(
        {budget->coefficients, libra::LinearConstraint::Sense::equal, budget->limit, "budget"});
  for (libra::LinearConstraint& each : constraints) {
    std::vector<double> by_dimension;
    for (const std::size_t variable : libra_->variables) by_dimension.push_back(each.coefficients[variable]);
    each.coefficients = by_dimension;
  }
  libra_->time.constraints = constraints;
  try {
    libra_->optimum = libra::minimize(libra_->time);
  } catch (const std::invalid_argument&) {
    // Nothing bounds the bandwidths but the ranges of the variables: no start, still a figure beside the
    // others.
  }
}

Candidates::~Candidates() = default;

std::optional<Point> Candidates::libra_optimum() const {
  if (!libra_ || !libra_->optimum) return std::nullopt;
  Point point(spec_.variables.size(), 0);
  for (std::size_t d = 0; d < libra_->variables.size(); ++d)
    point[libra_->variables[d]] = libra_->optimum->bandwidths[d];
  return point;
}

std::vector<Point> Candidates::libra_front(std::size_t count) const {
  std::vector<Point> front;
  if (!libra_ || !libra_->optimum) return front;
  libra::BandwidthProblem problem = libra_->time;
  libra::LinearConstraint cost{{}, libra::LinearConstraint::Sense::at_most, 0, "cost"};
  double most = 0;
  for (std::size_t d = 0; d < libra_->variables.size(); ++d) {
    cost.coefficients.push_back(spec_.variables[libra_->variables[d]].price);
    most += cost.coefficients[d] * libra_->optimum->bandwidths[d];
  }
  for (std::size_t i = 0; i < count && most > 0; ++i) {
    cost.limit = most * std::pow(0.05, static_cast<double>(i) / static_cast<double>(count));
    problem.constraints = libra_->time.constraints;
    problem.constraints.push_back(cost);
    try {
      const libra::Optimum optimum = libra::minimize(problem);
      Point point(spec_.variables.size(), 0);
      for (std::size_t d = 0; d < libra_->variables.size(); ++d)
        point[libra_->variables[d]] = optimum.bandwidths[d];
      front.push_back(std::move(point));
    } catch (const std::invalid_argument&) {
      break;  // so little money does not fulfil the other constraints
    }
  }
  return front;
}

std::optional<double> Candidates::libra_bound_s() const {
  if (!libra_ || !libra_->optimum) return std::nullopt;
  return libra_->optimum->lower_bound / 1e9;
}

Candidate& Candidates::of(const Point& point) {
  for (const auto& each : all_)
    if (near(each->point, point)) return *each;
  all_.push_back(std::make_unique<Candidate>());
  Candidate& made = *all_.back();
  made.point = point;
  made.cost = spec_.cost(point);
  if (libra_) made.libra_s = libra_->time_s(point);
  return made;
}

namespace {

constexpr double kTolerance = 1e-6;  // a solver's optimum may be that far beside a limit

}  // namespace

std::string Candidates::refusal(const Point& point) const {
  for (const libra::LinearConstraint& each : rest_)
    if (each.violation(point) > kTolerance) return "does not fulfil " + each.text;
  if (spec_.most_cost > 0 && spec_.cost(point) > spec_.most_cost)
    return fmt::format("costs {:.6g}, more than {:.6g}", spec_.cost(point), spec_.most_cost);
  return "";
}

void Candidates::run(const std::vector<Candidate*>& wanted, bool coarse_run) {
  std::vector<CellJob> jobs;
  std::vector<Candidate*> running;
  for (Candidate* each : wanted) {
    if (!each->refused.empty() || (coarse_run ? each->coarse_s : each->time_s)) continue;
    each->refused = refusal(each->point);
    if (!each->refused.empty()) continue;
    try {
      jobs.push_back(
          job_of(study_, Cell{{}, spec_.experiment, {}, spec_.overrides(each->point, coarse_run)}));
      running.push_back(each);
    } catch (const config::ConfigError& error) {
      each->refused = error.what();
    }
  }
  const std::vector<CellOutcome> outcomes = runner_->run(jobs, coarse_run ? "coarse runs" : "simulations");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Candidate& each = *running[i];
    if (!outcomes[i].error.empty()) {
      each.refused = outcomes[i].error;
      continue;
    }
    (coarse_run ? each.coarse_s : each.time_s) = outcomes[i].values.at("time").get<double>();
    const nlohmann::json& energy = outcomes[i].values.at("energy");
    if (!coarse_run && energy.is_number()) each.energy_j = energy.get<double>();
  }
}

std::vector<const Candidate*> Candidates::simulated(const std::vector<Point>& points) {
  std::vector<Candidate*> wanted;
  for (const Point& point : points) wanted.push_back(&of(point));
  run(wanted, false);
  return {wanted.begin(), wanted.end()};
}

std::vector<const Candidate*> Candidates::coarse(const std::vector<Point>& points) {
  std::vector<Candidate*> wanted;
  for (const Point& point : points) wanted.push_back(&of(point));
  run(wanted, true);
  return {wanted.begin(), wanted.end()};
}

std::size_t Candidates::simulations() const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [](const auto& each) { return each->time_s.has_value(); }));
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return std::nullopt;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double both = 0, of_x = 0, of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean) * (y[i] - mean);
    of_x += (x[i] - mean) * (x[i] - mean);
    of_y += (y[i] - mean) * (y[i] - mean);
  }
  if (of_x == 0 || of_y == 0) return std::nullopt;
  return both / std::sqrt(of_x * of_y);
}

}  // namespace wafertlm::optimize
