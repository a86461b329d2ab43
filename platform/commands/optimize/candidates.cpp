// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "platform/run/predicted_run.h"
#include "platform/spec/load.h"
#include "platform/text/config_error.h"
#include "platform/text/format.h"

namespace wafertlm::optimize {
namespace {

constexpr double kTolerance = 1e-6;  // a solver's optimum may be that far beside a limit

config::StudySpec study_of(const OptimizeSpec& spec) {
  config::StudySpec study;
  study.name = spec.name;
  study.command = "run";
  study.file = spec.experiment;
  for (const auto& [name, path] :
       {std::pair("time", "iteration_time_s"), std::pair("links_energy", "energy_j.links"),
        std::pair("drawn_energy", "energy_j.drawn"),
        std::pair("compute", "iterations[-1].breakdown_s.compute"), std::pair("price", "cost.price"),
        std::pair("power", "cost.power_w")}) {
    config::ColumnSpec column;
    column.name = name;
    column.read = path;
    study.columns.push_back(std::move(column));
  }
  return study;
}

bool near(const Point& a, const Point& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-9 * std::abs(b[i]) + 1e-12) return false;
  return true;
}

/// The sum of what is there.
std::optional<double> sum_of(const CellOutcome& outcome, std::initializer_list<const char*> columns) {
  std::optional<double> sum;
  for (const char* const column : columns)
    if (const auto& value = outcome.values.at(column); value.is_number())
      sum = sum.value_or(0) + value.get<double>();
  return sum;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double Candidate::value(Goal goal) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!refused.empty()) return kNone;
  switch (goal) {
    case Goal::cost:
      return cost.value_or(kNone);
    case Goal::energy:
      return energy_j.value_or(kNone);
    case Goal::time_cost:
      return time_s && cost ? *time_s * *cost : kNone;
    default:
      return time_s.value_or(kNone);
  }
}

Candidates::Candidates(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine)
    : spec_(spec), study_(study_of(spec)), rest_(spec.rest()) {
  runner_ = std::make_unique<CellRunner>(study_, folder, std::move(engine));
  if (spec.libra) libra_ = std::make_unique<LibraFidelity>(spec);
}

Candidate& Candidates::of(const Point& point) {
  for (const auto& each : all_)
    if (near(each->point, point)) return *each;
  all_.push_back(std::make_unique<Candidate>());
  Candidate& made = *all_.back();
  made.point = point;
  if (spec_.has_prices()) made.cost = spec_.cost(point);
  if (libra_) made.libra_s = libra_->time_s(point);
  return made;
}

std::string Candidates::refusal(const Point& point) const {
  const Point numbers = spec_.numbers(point);
  for (const libra::LinearConstraint& each : rest_)
    if (each.violation(numbers) > kTolerance) return "does not fulfil " + each.text;
  if (spec_.is_excepted(point)) return "excepted by the study";
  if (spec_.most_cost > 0 && spec_.has_prices() && spec_.cost(point) > spec_.most_cost)
    return fmt::format("costs {:.6g}, more than {:.6g}", spec_.cost(point), spec_.most_cost);
  return "";
}

std::string Candidates::refusal_of_results(const Candidate& candidate) const {
  const auto require = [](double most, const std::optional<double>& value, const char* does,
                          const char* unit) -> std::string {
    if (most == 0) return "";
    if (!value) return fmt::format("nothing says what it {}: give costs (configs/costs)", does);
    return *value <= most * (1 + kTolerance)
               ? ""
               : fmt::format("{} {:.6g} {}, more than {:.6g}", does, *value, unit, most);
  };
  const std::string cost = require(spec_.most_cost, candidate.cost, "costs", "$");
  return cost.empty() ? require(spec_.most_power, candidate.power_w, "draws", "W") : cost;
}

/// The first times are the reference.
double Candidates::joint(const std::vector<double>& times, std::vector<double>& reference) const {
  if (times.size() == 1) return times.front();
  if (reference.empty()) reference = times;
  double parts = 0;
  for (std::size_t i = 0; i < times.size(); ++i) parts += times[i] / reference[i];
  return parts / static_cast<double>(times.size()) * mean_of(reference);
}

void Candidates::take(Candidate& candidate, const Outcomes& outcomes, bool coarse_run) {
  std::vector<double> times, energies;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].error.empty()) {
      candidate.refused =
          outcomes.size() > 1 ? spec_.cases[i].name + ": " + outcomes[i].error : outcomes[i].error;
      return;
    }
    times.push_back(outcomes[i].values.at("time").get<double>());
    if (const auto energy = sum_of(outcomes[i], {"links_energy", "drawn_energy"}))
      energies.push_back(*energy);
  }
  const double time = joint(times, coarse_run ? coarse_reference_ : reference_);
  if (coarse_run) {
    candidate.coarse_s = time;
    return;
  }
  candidate.times_s = times;
  candidate.time_s = time;
  candidate.compute_s = sum_of(outcomes.front(), {"compute"});
  candidate.power_w = sum_of(outcomes.front(), {"power"});
  if (energies.size() == outcomes.size()) candidate.energy_j = mean_of(energies);
  if (const auto price = sum_of(outcomes.front(), {"price"}))
    candidate.cost = *price + spec_.cost(candidate.point);
  candidate.refused = refusal_of_results(candidate);
}

void Candidates::run(const std::vector<Candidate*>& wanted, bool coarse_run) {
  std::vector<CellJob> jobs;
  std::vector<Candidate*> running;
  const std::size_t cases = std::max<std::size_t>(1, spec_.cases.size());
  for (Candidate* each : wanted) {
    if (!each->refused.empty() || (coarse_run ? each->coarse_s : each->time_s)) continue;
    if (std::find(running.begin(), running.end(), each) != running.end()) continue;
    each->refused = refusal(each->point);
    if (!each->refused.empty()) continue;
    try {
      std::vector<CellJob> own;
      for (std::size_t i = 0; i < cases; ++i)
        own.push_back(job_of(study_, spec_.cell(each->point, i, coarse_run)));
      jobs.insert(jobs.end(), own.begin(), own.end());
      running.push_back(each);
    } catch (const config::ConfigError& error) {
      each->refused = error.what();
    }
  }
  if (running.empty()) return;
  const Outcomes outcomes = runner_->run(jobs, coarse_run ? "coarse runs" : "simulations");
  auto next = outcomes.begin();
  for (Candidate* each : running) {
    const auto end = next + static_cast<std::ptrdiff_t>(cases);
    take(*each, {next, end}, coarse_run);
    next = end;
  }
}

std::vector<const Candidate*> Candidates::with_runs(const std::vector<Point>& points, bool coarse_run) {
  std::vector<Candidate*> wanted;
  for (const Point& point : points) wanted.push_back(&of(point));
  run(wanted, coarse_run);
  return {wanted.begin(), wanted.end()};
}

std::vector<const Candidate*> Candidates::predicted(const std::vector<Point>& points) {
  std::vector<const Candidate*> found;
  for (const Point& point : points) {
    Candidate& each = of(point);
    found.push_back(&each);
    if (each.predicted_s || !refusal(point).empty()) continue;
    try {
      std::vector<double> times;
      for (std::size_t i = 0; i < std::max<std::size_t>(1, spec_.cases.size()); ++i) {
        const Cell cell = spec_.cell(point, i, false);
        const config::ExperimentSpec experiment = config::load_experiment(cell.file, cell.overrides);
        times.push_back(seconds(predict_iteration(experiment, load_job(experiment)).time_ps));
      }
      each.predicted_s = joint(times, predicted_reference_);
    } catch (const std::exception& error) {  // of the experiment, its traces, or what is not predicted
      if (unpredicted_.empty()) unpredicted_ = error.what();
    }
  }
  return found;
}

std::size_t Candidates::simulations() const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [](const auto& each) { return each->time_s.has_value(); }));
}

}  // namespace wafertlm::optimize
