// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/commands/libra/difference.h"
#include "platform/commands/libra/ranking.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm::optimize {
namespace {

using nlohmann::ordered_json;

std::string shown(Goal goal, double value) {
  if (goal == Goal::time) return format_time(static_cast<TimePs>(std::llround(value * 1e12)));
  return fmt::format(goal == Goal::energy ? "{:.5g}" : "{:.6g}", value);
}

/// Of the printed table: times have their unit beside each value.
std::string heading(Goal goal) { return goal == Goal::time ? name_of(goal) : name_with_unit(goal); }

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// A figure that is cheaper than simulations.
using CheapFigure = std::optional<double> Candidate::*;

/// The candidates that have both the figure and a simulated time.
std::vector<const Candidate*> compared(const Candidates& candidates, CheapFigure figure) {
  std::vector<const Candidate*> found;
  for (const auto& each : candidates.all())
    if (each->time_s && (*each).*figure) found.push_back(each.get());
  return found;
}

/// Of compared(): the figures and the simulated times.
std::pair<std::vector<double>, std::vector<double>> pairs(const Candidates& candidates, CheapFigure figure) {
  std::pair<std::vector<double>, std::vector<double>> found;
  for (const Candidate* const each : compared(candidates, figure)) {
    found.first.push_back(*(each->*figure));
    found.second.push_back(*each->time_s);
  }
  return found;
}

std::optional<double> correlation(const Candidates& candidates, CheapFigure figure) {
  const auto [cheap, full] = pairs(candidates, figure);
  return model_gap::rank_correlation(cheap, full);
}

std::string corner_text(const Outcome& outcome) {
  const CornerBound& bound = outcome.corner;
  if (!bound.problem.empty()) return fmt::format("  no proven lower bound: {}\n", bound.problem);
  return fmt::format("  lower bound {}: {}, with {}; within {:.2f} %\n", shown(Goal::time, bound.time_s),
                     bound.what, bound.at, 100 * (outcome.best->time_s.value_or(0) / bound.time_s - 1));
}

model_gap::Swaps swaps_of(const Candidates& candidates, CheapFigure figure) {
  const auto [cheap, full] = pairs(candidates, figure);
  return model_gap::swaps(cheap, full);
}

std::string swaps_text(const Outcome& outcome, CheapFigure figure) {
  const model_gap::Swaps swaps = swaps_of(outcome.candidates, figure);
  if (!swaps.worst) return "";
  const auto candidates = compared(outcome.candidates, figure);
  const Candidate &preferred = *candidates[swaps.worst->first], &faster = *candidates[swaps.worst->second];
  return fmt::format(
      "    {} of {} pairs the other way round; worst: it prefers {} ({}, simulated {}) to {} ({}, simulated "
      "{}), which is {:.2f} % faster\n",
      swaps.swapped, swaps.pairs, outcome.spec.text(preferred.point), shown(Goal::time, *(preferred.*figure)),
      shown(Goal::time, *preferred.time_s), outcome.spec.text(faster.point),
      shown(Goal::time, *(faster.*figure)), shown(Goal::time, *faster.time_s), 100 * swaps.loss);
}

ordered_json swaps_json(const Outcome& outcome, CheapFigure figure) {
  const model_gap::Swaps swaps = swaps_of(outcome.candidates, figure);
  ordered_json json = {{"swapped", swaps.swapped}, {"pairs", swaps.pairs}, {"worst", nullptr}};
  if (!swaps.worst) return json;
  const auto candidates = compared(outcome.candidates, figure);
  json["worst"] = {{"model_prefers", outcome.spec.text(candidates[swaps.worst->first]->point)},
                   {"faster", outcome.spec.text(candidates[swaps.worst->second]->point)},
                   {"loss", swaps.loss}};
  return json;
}

/// A cheaper figure beside the simulation: at the optimum, and over all candidates.
std::string fidelity_text(const Outcome& outcome, const std::string& name, CheapFigure figure) {
  if (!outcome.best || !((*outcome.best).*figure)) return "";
  const double cheap = *((*outcome.best).*figure), full = *outcome.best->time_s;
  std::string text = fmt::format("  {}: {} at the optimum, the simulation {} ({:+.2f} %)", name,
                                 shown(Goal::time, cheap), shown(Goal::time, full), 100 * (full / cheap - 1));
  const auto rank = correlation(outcome.candidates, figure);
  if (rank)
    text += fmt::format("; rank correlation {:.3f} over {} candidates{}", *rank,
                        pairs(outcome.candidates, figure).first.size(),
                        *rank < 0.9 ? ", it ranks candidates differently" : "");
  return text + "\n" + swaps_text(outcome, figure);
}

std::string binding_text(const Outcome& outcome) {
  std::string text;
  const OptimizeSpec& spec = outcome.spec;
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    const VariableSpec& each = spec.variables[i];
    if (!each.is_number()) continue;
    const double at = outcome.best->point[i];
    if (std::abs(at - each.from) <= 1e-3 * std::abs(each.to - each.from))
      text +=
          fmt::format("  {} is at its least, {:.6g}: a lower limit might be better\n", each.name, each.from);
    if (std::abs(at - each.to) <= 1e-3 * std::abs(each.to - each.from))
      text += fmt::format("  {} is at its greatest, {:.6g}: a higher limit might be better\n", each.name,
                          each.to);
  }
  for (const libra::LinearConstraint& each : spec.rest())
    if (each.binds(spec.numbers(outcome.best->point), 1e-3)) text += fmt::format("  {} binds\n", each.text);
  const auto limit = [&](double most, const std::optional<double>& value, const char* what) {
    if (most > 0 && value && *value > 0.99 * most)
      text += fmt::format("  the limit of the {}, {:.6g}, binds\n", what, most);
  };
  limit(spec.most_cost, outcome.best->cost, "cost");
  limit(spec.most_power, outcome.best->power_w, "power");
  if (const auto budget = spec.space().budget)
    text += fmt::format("  the budget of {:.6g} is met\n", budget->limit);
  return text;
}

std::string front_text(const Outcome& outcome) {
  if (outcome.front.empty()) return "";
  const Goal first = outcome.spec.goals[0], second = outcome.spec.goals[1];
  TextRows rows{{heading(first), heading(second), ""}};
  for (const Candidate* each : outcome.front)
    rows.push_back({shown(first, each->value(first)), shown(second, each->value(second)),
                    outcome.spec.text(each->point)});
  const std::string text = "\nPareto front, every point simulated\n" + aligned(rows, "rrl");
  return text + fmt::format("  hypervolume over {}: {:.4f}\n",
                            outcome.spec.space().limit || outcome.spec.space().budget
                                ? "equal shares"
                                : "the worst of each goal",
                            outcome.hypervolume);
}

/// Rows: the design that is fastest for a workload, then that for all; columns: what each workload loses.
std::string regret_text(const Outcome& outcome) {
  const Regret& regret = outcome.regret;
  if (regret.own.empty()) return "";
  TextRows rows{{"design for"}};
  for (const auto& each : outcome.spec.cases) rows.front().push_back(each.name);
  const auto add = [&](const std::string& name, const std::vector<double>& losses) {
    rows.push_back({name});
    for (const double loss : losses) rows.back().push_back(fmt::format("{:+.2f} %", 100 * loss));
  };
  for (std::size_t i = 0; i < regret.own.size(); ++i) add(outcome.spec.cases[i].name, regret.by_own[i]);
  add("all of them", regret.joint);
  return "\nRegret: what a workload loses against the design made for it\n" + aligned(rows, "lr") + "\n";
}

ordered_json regret_json(const Outcome& outcome) {
  const Regret& regret = outcome.regret;
  if (regret.own.empty()) return nullptr;
  ordered_json json;
  for (std::size_t i = 0; i < regret.own.size(); ++i) {
    json["workloads"].push_back(outcome.spec.cases[i].name);
    json["designs"].push_back(outcome.spec.text(regret.own[i]->point));
  }
  json["by_own"] = regret.by_own;
  json["joint"] = regret.joint;
  return json;
}

/// Which ranges are searched by factors.
std::string steps_text(const OptimizeSpec& spec) {
  std::vector<std::string> geometric, equal;
  for (const VariableSpec& each : spec.variables)
    if (each.is_number()) (each.from > 0 ? geometric : equal).push_back(each.name);
  std::string text;
  if (!geometric.empty())
    text += fmt::format("  {}: geometric steps (equal factors); the middle is the geometric mean\n",
                        fmt::join(geometric, ", "));
  if (!equal.empty()) text += fmt::format("  {}: equal steps\n", fmt::join(equal, ", "));
  return text;
}

ordered_json axes_json(const OptimizeSpec& spec) {
  ordered_json axes = ordered_json::array();
  for (const VariableSpec& each : spec.variables)
    if (each.is_number())
      axes.push_back({{"variable", each.name},
                      {"unit", each.unit},
                      {"from", each.from},
                      {"to", each.to},
                      {"step", each.step},
                      {"steps", each.from > 0 ? "geometric" : "equal"}});
    else
      axes.push_back({{"variable", each.name}, {"values", each.values}});
  return axes;
}

ordered_json candidate_json(const Candidate& each, const OptimizeSpec& spec) {
  ordered_json json;
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    const VariableSpec& variable = spec.variables[i];
    json["at"][variable.name] =
        variable.is_number() ? ordered_json(each.point[i]) : ordered_json(variable.text(each.point[i]));
  }
  json["words"] = spec.text(each.point);
  json["time_s"] = or_null(each.time_s);
  if (each.times_s.size() > 1) json["times_s"] = each.times_s;
  json["cost"] = or_null(each.cost);
  json["power_w"] = or_null(each.power_w);
  json["energy_j"] = or_null(each.energy_j);
  json["coarse_s"] = or_null(each.coarse_s);
  json["libra_s"] = or_null(each.libra_s);
  json["predicted_s"] = or_null(each.predicted_s);
  json["refused"] = each.refused;
  return json;
}

}  // namespace

const char* name_of(Goal goal) {
  switch (goal) {
    case Goal::cost:
      return "cost";
    case Goal::time_cost:
      return "time_cost";
    case Goal::energy:
      return "energy";
    default:
      return "time";
  }
}

std::string name_with_unit(Goal goal) {
  static const std::map<Goal, const char*> units = {
      {Goal::time, "s"}, {Goal::cost, "$"}, {Goal::time_cost, "s $"}, {Goal::energy, "J"}};
  return fmt::format("{} ({})", name_of(goal), units.at(goal));
}

std::vector<const Candidate*> pareto_front(const std::vector<const Candidate*>& candidates, Goal first,
                                           Goal second) {
  std::vector<const Candidate*> sorted;
  for (const Candidate* each : candidates)
    if (std::isfinite(each->value(first)) && std::isfinite(each->value(second))) sorted.push_back(each);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Candidate* a, const Candidate* b) {
    return std::pair(a->value(first), a->value(second)) < std::pair(b->value(first), b->value(second));
  });
  std::vector<const Candidate*> front;
  for (const Candidate* each : sorted)
    if (front.empty() || each->value(second) < front.back()->value(second) ||
        (each->value(first) == front.back()->value(first) &&
         each->value(second) == front.back()->value(second)))
      front.push_back(each);
  return front;
}

double hypervolume(const std::vector<const Candidate*>& front, const Candidate& reference, Goal first,
                   Goal second) {
  const double width = reference.value(first), height = reference.value(second);
  double area = 0, top = height;
  for (const Candidate* each : front) {
    const double x = each->value(first), y = std::min(each->value(second), top);
    if (x >= width) break;
    area += (width - x) * (top - y);
    top = y;
  }
  return area / (width * height);
}

std::string outcome_text(const Outcome& outcome) {
  const OptimizeSpec& spec = outcome.spec;
  std::string text = fmt::format("{}\n", spec.name);
  std::size_t refused = 0;
  for (const auto& each : outcome.candidates.all()) refused += each->refused.empty() ? 0 : 1;
  text += fmt::format("  {} simulated, {} refused or failed; ",
                      counted(outcome.candidates.simulations(), "candidate"), refused);
  for (const std::string& each : outcome.methods)
    text += fmt::format("{}{}", &each == &outcome.methods.front() ? "" : ", then ", each);
  text += "\n" + steps_text(spec);
  TextRows rows{{"", spec.space().budget || spec.space().limit ? "equal shares" : "middle", "optimum"}};
  for (const VariableSpec& each : spec.variables) {
    const auto i = static_cast<std::size_t>(&each - spec.variables.data());
    rows.push_back({each.name, each.text(outcome.middle->point[i]), each.text(outcome.best->point[i])});
  }
  for (const Goal goal : {Goal::time, Goal::cost, Goal::time_cost, Goal::energy}) {
    const double was = outcome.middle->value(goal), is = outcome.best->value(goal);
    if (!std::isfinite(is) || is == 0) continue;
    rows.push_back({heading(goal), std::isfinite(was) ? shown(goal, was) : "-", shown(goal, is),
                    std::isfinite(was) ? fmt::format("{:.3f} x", was / is) : ""});
  }
  text += "\n" + aligned(rows, "lrrl");
  text += front_text(outcome);
  text += "\nHow good is it\n";
  const double time = outcome.best->time_s.value_or(0);
  const LibraFidelity* const libra = outcome.candidates.libra();
  if (const auto bound = libra != nullptr ? libra->bound_s() : std::nullopt)
    text += fmt::format("  lower bound {} by LIBRA's model (no latency, no contention): within {:.2f} %\n",
                        shown(Goal::time, *bound), 100 * (time / *bound - 1));
  else
    text += corner_text(outcome);
  if (outcome.plane_bound && spec.goals.size() == 1 && spec.goals[0] == Goal::time)
    text += fmt::format("  the planes through the simulations leave {} at most to gain\n",
                        shown(Goal::time, std::max(0.0, time - *outcome.plane_bound)));
  if (const auto compute = outcome.best->compute_s; compute && time > 0)
    text += fmt::format(
        "  {:.2f} % of its time is computing: a network without any cost would gain {:.2f} %\n",
        100 * *compute / outcome.best->times_s.front(), 100 * (1 - *compute / outcome.best->times_s.front()));
  if (outcome.out_of_time)
    text += fmt::format("  host_seconds ({:.6g}) ended the search; the same command goes on from here\n",
                        spec.host_seconds);
  text += regret_text(outcome);
  text += fidelity_text(outcome, "LIBRA's model", &Candidate::libra_s) +
          fidelity_text(outcome, "predictions", &Candidate::predicted_s) +
          fidelity_text(outcome, "coarse runs", &Candidate::coarse_s) + binding_text(outcome);
  if (!outcome.candidates.unpredicted().empty())
    text += "  no predictions: " + outcome.candidates.unpredicted() + "\n";
  if (outcome.difference)
    text += "\nLIBRA's model and the simulation at the optimum\n" +
            model_gap::difference_text(*outcome.difference);
  return text;
}

ordered_json outcome_json(const Outcome& outcome) {
  ordered_json json;
  json["optimize"] = outcome.spec.name;
  for (const Goal goal : outcome.spec.goals) json["goals"].push_back(name_of(goal));
  for (const Goal goal : outcome.spec.goals) json["goals_with_units"].push_back(name_with_unit(goal));
  json["axes"] = axes_json(outcome.spec);
  json["optimum"] = candidate_json(*outcome.best, outcome.spec);
  json["middle"] = candidate_json(*outcome.middle, outcome.spec);
  json["simulated"] = outcome.candidates.simulations();
  json["methods"] = outcome.methods;
  const LibraFidelity* const libra = outcome.candidates.libra();
  json["libra_bound_s"] = or_null(libra != nullptr ? libra->bound_s() : std::nullopt);
  const CornerBound& corner = outcome.corner;
  json["corner_bound"] = {{"time_s", corner.problem.empty() ? ordered_json(corner.time_s) : ordered_json()},
                          {"what", corner.what},
                          {"at", corner.at},
                          {"problem", corner.problem}};
  json["out_of_time"] = outcome.out_of_time;
  json["regret"] = regret_json(outcome);
  json["plane_bound"] = or_null(outcome.plane_bound);
  json["rank_correlation"] = {
      {"libra", or_null(correlation(outcome.candidates, &Candidate::libra_s))},
      {"predictions", or_null(correlation(outcome.candidates, &Candidate::predicted_s))},
      {"coarse", or_null(correlation(outcome.candidates, &Candidate::coarse_s))}};
  json["swaps"] = {{"libra", swaps_json(outcome, &Candidate::libra_s)},
                   {"predictions", swaps_json(outcome, &Candidate::predicted_s)},
                   {"coarse", swaps_json(outcome, &Candidate::coarse_s)}};
  json["difference"] = outcome.difference ? model_gap::difference_json(*outcome.difference) : ordered_json();
  json["front"] = ordered_json::array();
  for (const Candidate* each : outcome.front) json["front"].push_back(candidate_json(*each, outcome.spec));
  json["hypervolume"] = outcome.front.empty() ? ordered_json() : ordered_json(outcome.hypervolume);
  for (const auto& each : outcome.candidates.all())
    json["candidates"].push_back(candidate_json(*each, outcome.spec));
  return json;
}

Regret regret_of(const std::vector<const Candidate*>& possible, const Candidate& joint) {
  Regret regret;
  const std::size_t count = joint.times_s.size();
  if (count < 2) return regret;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate* best = &joint;
    for (const Candidate* each : possible)
      if (each->times_s[i] < best->times_s[i]) best = each;
    regret.own.push_back(best);
  }
  const auto row = [&](const Candidate& design) {
    std::vector<double> losses;
    for (std::size_t j = 0; j < count; ++j)
      losses.push_back(design.times_s[j] / regret.own[j]->times_s[j] - 1);
    return losses;
  };
  for (const Candidate* each : regret.own) regret.by_own.push_back(row(*each));
  regret.joint = row(joint);
  return regret;
}

}  // namespace wafertlm::optimize
