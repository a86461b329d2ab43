// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/optimize_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/commands/optimize/ends.h"
#include "platform/commands/optimize/kriging.h"
#include "platform/commands/optimize/looks.h"
#include "platform/host/files.h"

namespace wafertlm::optimize {
namespace {

using Clock = std::chrono::steady_clock;

/// Two goals are one: the weighted mean of their logarithms.
double weighed(const Candidate& each, const std::vector<Goal>& goals, double weight) {
  if (goals.size() == 1) return each.value(goals[0]);
  const double first = each.value(goals[0]), second = each.value(goals[1]);
  if (!std::isfinite(first) || !std::isfinite(second)) return std::numeric_limits<double>::infinity();
  return std::exp(weight * std::log(first) + (1 - weight) * std::log(second));
}

/// A probe beside the budget is no candidate.
bool fulfils(const Space& space, const Candidate& each) {
  if (!each.time_s || !each.refused.empty()) return false;
  if (!space.budget) return true;
  double sum = 0;
  for (std::size_t i = 0; i < each.point.size(); ++i) sum += each.point[i] * space.budget->coefficients[i];
  return std::abs(sum / space.budget->limit - 1) < 1e-3;
}

using Model = decltype(SearchOptions::model);

/// Where the simulations start, and what a cheap model says of a point.
struct Start {
  std::optional<Point> point;
  Model model = {};
};

/// A surrogate of cheap runs. `space` must outlive it.
Model surrogate_of(const Space& space, const SearchResult& found) {
  const Coordinates coordinates(space);
  std::vector<Kriging::Vector> points;
  Kriging::Vector values;
  for (const SearchResult::Look& look : found.looks) {
    if (!std::isfinite(look.value) || look.value <= 0) continue;
    points.push_back(coordinates.unit(look.point));
    values.push_back(std::log(look.value));
  }
  if (points.size() < space.axes.size() + 2) return {};
  const auto kriging = std::make_shared<const Kriging>(std::move(points), values);
  return [kriging, coordinates](const Point& point) {
    return std::exp(kriging->at(coordinates.unit(point)).mean);
  };
}

class OptimizeRun {
 public:
  OptimizeRun(const OptimizeSpec& spec, Candidates& candidates, Outcome& outcome,
              std::optional<Point> warm_start)
      : spec_(spec),
        space_(spec.space()),
        candidates_(candidates),
        outcome_(outcome),
        warm_start_(std::move(warm_start)),
        started_(Clock::now()) {}

  void run() {
    if (spec_.cases.size() > 1) simulate({space_.middle()});  // the reference
    look_at_ends();
    const Start start = cheap_start();
    if (spec_.goals.size() > 1 && candidates_.libra() != nullptr)
      simulate(candidates_.libra()->front(spec_.evaluations / 3));
    if (spec_.cases.size() > 1)
      of_workloads(start);
    else
      of_goals(start);
    outcome_.middle = candidates_.simulated({space_.middle()}).front();
    outcome_.out_of_time = is_over();
    if (spec_.predictions) candidates_.predicted(simulated_points());
    if (!spec_.coarse.empty() && !is_over()) candidates_.coarse(simulated_points());
  }

 private:
  using Value = std::function<double(const Candidate&)>;

  bool is_over() const {
    return spec_.host_seconds > 0 &&
           std::chrono::duration<double>(Clock::now() - started_).count() > spec_.host_seconds;
  }
  void simulate(const std::vector<Point>& points) { candidates_.simulated(points); }

  SearchOptions options(std::size_t evaluations, const Start& start) const {
    SearchOptions options;
    options.evaluations = evaluations;
    options.start = start.point;
    options.model = start.model;
    options.method = spec_.method;
    options.seed = spec_.seed;
    options.is_allowed = [this](const Point& point) { return candidates_.is_allowed(point); };
    options.is_over = [this] { return is_over(); };
    return options;
  }

  /// With no more than half of the evaluations, but two.
  void look_at_ends() {
    std::vector<Point> ends = ends_of(spec_, outcome_.corner);
    ends.erase(std::remove_if(ends.begin(), ends.end(),
                              [this](const Point& point) { return !candidates_.is_allowed(point); }),
               ends.end());
    ends.resize(std::min({ends.size(), std::max<std::size_t>(2, spec_.evaluations / 2), left()}));
    if (ends.empty()) return;
    simulate(ends);
    note({"ends of the ranges"});
  }

  void note(const std::vector<std::string>& methods, const std::string& before = "") {
    for (const std::string& each : methods)
      if (std::find(outcome_.methods.begin(), outcome_.methods.end(), before + each) ==
          outcome_.methods.end())
        outcome_.methods.push_back(before + each);
  }

  /// What costs less than simulations: LIBRA's model, an earlier optimum, cheap runs.
  Start cheap_start() {
    Start start;
    const LibraFidelity* const libra = candidates_.libra();
    if (libra != nullptr) start = {libra->optimum(), [libra](const Point& at) { return libra->time_s(at); }};
    if (start.point) note({"LIBRA's model"});
    if (warm_start_) {
      start.point = warm_start_;
      note({"an earlier optimum"});
    }
    const bool is_known = start.point.has_value();
    if (spec_.predictions)
      search_cheaply(start, "predictions: ", &Candidates::predicted, &Candidate::predicted_s);
    if (!is_known && !spec_.coarse.empty())
      search_cheaply(start, "coarse: ", &Candidates::coarse, &Candidate::coarse_s);
    return start;
  }

  /// From `start` on, which it moves to the best of what it finds.
  void search_cheaply(Start& start, const std::string& name,
                      std::vector<const Candidate*> (Candidates::*find)(const std::vector<Point>&),
                      std::optional<double> Candidate::*figure) {
    const Evaluate evaluate = [&](const std::vector<Point>& points) {
      std::vector<double> values;
      for (const Candidate* each : (candidates_.*find)(points))
        values.push_back((each->*figure).value_or(std::numeric_limits<double>::infinity()));
      return values;
    };
    SearchOptions cheap = options(spec_.coarse_evaluations, start);
    cheap.falls_with_bandwidth = spec_.falls_with_bandwidth;
    const SearchResult found = search(space_, evaluate, cheap);
    note(found.methods, name);
    if (!std::isfinite(found.value)) return;
    start.point = found.best;
    const bool is_time = spec_.goals.size() == 1 && spec_.goals[0] == Goal::time;
    if (!is_time || space_.budget) return;
    if (const Model model = surrogate_of(space_, found)) start.model = model;
  }

  SearchResult search_for(const Value& value, SearchOptions options) {
    for (const auto& each : candidates_.all())
      if (each->time_s) options.known.push_back({each->point, value(*each)});
    const Evaluate evaluate = [&](const std::vector<Point>& points) {
      std::vector<double> values;
      for (const Candidate* each : candidates_.simulated(points)) values.push_back(value(*each));
      return values;
    };
    const SearchResult found = search(space_, evaluate, options);
    note(found.methods);
    return found;
  }

  /// Of two goals each weight is a search of its own, from the best so far; they share what was simulated.
  void of_goals(const Start& first) {
    const std::vector<double> weights =
        spec_.goals.size() == 1 ? std::vector<double>{1} : std::vector<double>{1, 0.75, 0.5, 0.25, 0};
    for (std::size_t i = 0; i < weights.size() && left() > 0; ++i) {
      const double weight = weights[i];
      const Value value = [&](const Candidate& each) { return weighed(each, spec_.goals, weight); };
      Start start = first;
      if (spec_.goals.size() > 1) start = {best_so_far(value, first.point), {}};
      SearchOptions of = options(left() / (weights.size() - i), start);
      of.falls_with_bandwidth = spec_.falls_with_bandwidth && weight == 1 && spec_.goals[0] == Goal::time;
      if (of.falls_with_bandwidth) of.model = first.model;
      const SearchResult found = search_for(value, of);
      if (weight == 1) outcome_.plane_bound = found.bound;
    }
    if (spec_.goals.size() > 1) fill_gaps();
  }

  /// What is left of the evaluations halves the widest gaps of the front, between two of its points.
  void fill_gaps() {
    std::set<std::pair<const Candidate*, const Candidate*>> tried;
    while (left() > 0) {
      std::vector<const Candidate*> possible;
      for (const auto& each : candidates_.all())
        if (fulfils(space_, *each)) possible.push_back(each.get());
      const auto front = pareto_front(possible, spec_.goals[0], spec_.goals[1]);
      double widest = 0;
      std::pair<const Candidate*, const Candidate*> gap;
      for (std::size_t i = 1; i < front.size(); ++i) {
        if (tried.count({front[i - 1], front[i]}) != 0) continue;
        double width = 0;
        for (const Goal goal : spec_.goals)
          width += std::abs(std::log(front[i]->value(goal) / front[i - 1]->value(goal)));
        if (width <= widest) continue;
        widest = width;
        gap = {front[i - 1], front[i]};
      }
      if (widest == 0) return;
      tried.insert(gap);
      Point middle;
      for (std::size_t i = 0; i < space_.axes.size(); ++i)
        middle.push_back(
            space_.axes[i].rounded(space_.axes[i].middle(gap.first->point[i], gap.second->point[i])));
      if (candidates_.is_allowed(middle)) simulate({middle});
    }
  }

  /// First for all workloads together, with half of the evaluations, then for each alone.
  void of_workloads(const Start& first) {
    for (std::size_t i = 0; i <= spec_.cases.size() && left() > 0; ++i) {
      const Value value = [&](const Candidate& each) {
        if (i == 0 || !each.refused.empty()) return each.value(spec_.goals[0]);
        return each.times_s[i - 1];
      };
      const Start start = {i == 0 ? first.point : best_so_far(value, first.point),
                           i == 0 ? first.model : nullptr};
      SearchOptions of = options(i == 0 ? (left() + 1) / 2 : left() / (spec_.cases.size() + 1 - i), start);
      of.falls_with_bandwidth = spec_.falls_with_bandwidth && spec_.goals[0] == Goal::time;
      search_for(value, of);
    }
  }

  std::size_t left() const {
    if (is_over()) return 0;
    return spec_.evaluations - std::min<std::size_t>(spec_.evaluations, candidates_.simulations());
  }

  std::optional<Point> best_so_far(const Value& value, const std::optional<Point>& otherwise) const {
    const Candidate* best = nullptr;
    for (const auto& each : candidates_.all())
      if (each->time_s && (best == nullptr || value(*each) < value(*best))) best = each.get();
    return best == nullptr ? otherwise : std::optional<Point>(best->point);
  }

  /// For the rank correlation with what is cheaper.
  std::vector<Point> simulated_points() const {
    std::vector<Point> points;
    for (const auto& each : candidates_.all())
      if (each->time_s) points.push_back(each->point);
    return points;
  }

  const OptimizeSpec& spec_;
  const Space space_;
  Candidates& candidates_;
  Outcome& outcome_;
  std::optional<Point> warm_start_;
  Clock::time_point started_;
};

void choose(const OptimizeSpec& spec, const Candidates& candidates, Outcome& outcome) {
  const Space space = spec.space();
  std::vector<const Candidate*> possible;
  std::string reason;
  for (const auto& each : candidates.all()) {
    if (fulfils(space, *each)) possible.push_back(each.get());
    if (reason.empty()) reason = each->refused;
  }
  for (const Candidate* each : possible)
    if (outcome.best == nullptr || each->value(spec.goals[0]) < outcome.best->value(spec.goals[0]))
      outcome.best = each;
  if (outcome.best == nullptr || !std::isfinite(outcome.best->value(spec.goals[0])))
    throw std::invalid_argument("no candidate could be simulated; the first one: " + reason);
  outcome.regret = regret_of(possible, *outcome.best);
  if (spec.goals.size() < 2) return;
  outcome.front = pareto_front(possible, spec.goals[0], spec.goals[1]);
  Candidate reference = *outcome.middle;
  if (!space.budget && !space.limit) {  // no equal shares: the worst of each
    for (const Candidate* each : possible) {
      reference.time_s = std::max(reference.time_s.value_or(0), *each->time_s);
      reference.energy_j = std::max(reference.energy_j.value_or(0), each->energy_j.value_or(0));
      reference.cost = std::max(reference.cost.value_or(0), each->cost.value_or(0));
    }
  }
  reference.refused.clear();
  if (reference.time_s)
    outcome.hypervolume = hypervolume(outcome.front, reference, spec.goals[0], spec.goals[1]);
}

}  // namespace

/// The best of what was found earlier, by the names of the variables. @throws std::invalid_argument.
Point earlier_optimum(const OptimizeSpec& spec, const std::string& folder) {
  const nlohmann::json results =
      nlohmann::json::parse(text_of(std::filesystem::path(folder) / "results.json"), nullptr, false);
  const auto at =
      results.is_object() && results.contains("optimum") ? results["optimum"].find("at") : results.end();
  if (!results.is_object() || !results.contains("optimum"))
    throw std::invalid_argument("--warm-start " + folder + ": there are no results of `wafertlm optimize`");
  const Space space = spec.space();
  Point point = space.middle();
  bool any = false;
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    const VariableSpec& variable = spec.variables[i];
    const auto found = at->find(variable.name);
    if (found == at->end()) continue;
    if (variable.is_number() && found->is_number()) {
      point[i] = std::clamp(found->get<double>(), variable.from, variable.to);
      any = true;
    }
    for (std::size_t k = 0; k < variable.values.size(); ++k)
      if (found->is_string() && *found == variable.values[k]) {
        point[i] = static_cast<double>(k);
        any = true;
      }
  }
  if (!any) throw std::invalid_argument("--warm-start " + folder + ": it has none of these variables");
  if (const auto& budget = space.budget) {
    double sum = 0;
    for (std::size_t i = 0; i < point.size(); ++i) sum += point[i] * budget->coefficients[i];
    for (double& each : point) each *= budget->limit / sum;
  }
  return point;
}

void find_optimum(const OptimizeSpec& spec, Candidates& candidates, const std::optional<Point>& start,
                  Outcome& outcome) {
  OptimizeRun(spec, candidates, outcome, start).run();
  choose(spec, candidates, outcome);
}

}  // namespace wafertlm::optimize
