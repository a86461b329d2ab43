// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/corner_bound.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "platform/commands/explain/settings.h"
#include "platform/describe/document.h"
#include "platform/run/predicted_run.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"

namespace wafertlm::optimize {
namespace {

constexpr std::size_t kMostTexts = 16;

config::ExperimentSpec experiment_at(const OptimizeSpec& spec, const Point& point) {
  const Cell cell = spec.cell(point, 0, false);
  return config::load_experiment(cell.file, cell.overrides);
}

/// The settings of the resolved experiment, by key.
std::map<std::string, Setting> settings_at(const OptimizeSpec& spec, const Point& point) {
  std::map<std::string, Setting> found;
  for (Setting& each : settings_of(
           config::parse_override_value(config::resolved_yaml(experiment_at(spec, point)), "resolved")))
    found[each.key] = std::move(each);
  return found;
}

/// Whether a variable is best at its greatest: it changes rates only (true) or times only (false).
/// @throws std::invalid_argument that names what else it changes.
bool is_best_at_greatest(const OptimizeSpec& spec, Point point, std::size_t variable) {
  const VariableSpec& of = spec.variables[variable];
  point[variable] = of.from;
  const auto least = settings_at(spec, point);
  point[variable] = of.to;
  const auto greatest = settings_at(spec, point);
  bool rates = false, times = false;
  const auto refuse = [&](const std::string& key) {
    throw std::invalid_argument(fmt::format("{} changes {}, which need not be best at an end", of.name, key));
  };
  if (least.size() != greatest.size()) refuse("which keys there are");
  for (const auto& [key, low] : least) {
    const auto high = greatest.find(key);
    if (high == greatest.end()) refuse(key);
    if (high->second.value == low.value) continue;
    const std::vector<double> factors = low.is_numeric() ? promising_factors(low) : std::vector<double>();
    if (!low.of_platform || factors.size() != 1) refuse(key);
    (factors.front() > 1 ? rates : times) = true;
  }
  if (rates == times)
    throw std::invalid_argument(of.name + (rates
                                               ? " changes rates and times of the machine"
                                               : " changes nothing that tells in which direction it helps"));
  return rates;
}

/// All combinations of the texts; numbers as they are in `point`.
std::vector<Point> with_all_texts(const OptimizeSpec& spec, const Point& point) {
  std::vector<Point> points = {point};
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    if (spec.variables[i].is_number()) continue;
    std::vector<Point> more;
    for (const Point& each : points)
      for (std::size_t k = 0; k < spec.variables[i].values.size(); ++k) {
        more.push_back(each);
        more.back()[i] = static_cast<double>(k);
      }
    points = std::move(more);
    if (points.size() > kMostTexts)
      throw std::invalid_argument(fmt::format("more than {} combinations of texts", kMostTexts));
  }
  return points;
}

CornerBound bound_at(const OptimizeSpec& spec, Point point) {
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    if (spec.variables[i].is_number())
      point[i] = is_best_at_greatest(spec, point, i) ? spec.variables[i].to : spec.variables[i].from;
  const config::ExperimentSpec experiment = experiment_at(spec, point);
  if (experiment.iterations > 1 && !experiment.barrier)
    throw std::invalid_argument("iterations overlap without a barrier; take one, or barrier: true");
  if (experiment.platform.npu.compute.jitter != Jitter::none)
    throw std::invalid_argument("computation has jitter");
  const PredictedIteration known = predict_iteration(experiment, load_job(experiment));
  const bool computes = known.compute_ps >= known.bound_ps;
  return {seconds(computes ? known.compute_ps : known.bound_ps),
          computes ? "computation of the busiest rank" : "what the longest collective takes at least",
          spec.text(point), "", point};
}

}  // namespace

CornerBound bound_at_corner(const OptimizeSpec& spec) {
  CornerBound found;
  found.time_s = std::numeric_limits<double>::infinity();
  try {
    if (spec.cases.size() > 1) throw std::invalid_argument("there are several workloads");
    for (const Point& point : with_all_texts(spec, spec.space().middle())) {
      const CornerBound each = bound_at(spec, point);
      if (each.time_s < found.time_s) found = each;
    }
    if (found.time_s == 0) throw std::invalid_argument("nothing is computed, and no collective runs");
  } catch (const std::exception& error) {  // of the configuration at a corner, too
    return {0, "", "", error.what(), {}};
  }
  return found;
}

}  // namespace wafertlm::optimize
