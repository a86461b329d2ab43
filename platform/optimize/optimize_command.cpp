// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "platform/command/files.h"
#include "platform/command/interrupt.h"
#include "platform/command/output_folder.h"
#include "platform/commands.h"
#include "platform/optimize/outcome.h"
#include "platform/study/engine_options.h"
#include "platform/study/sweep/engine.h"
#include "waveforms/report/page.h"

namespace wafertlm {
namespace {

using namespace optimize;
namespace fs = std::filesystem;

struct OptimizeOptions {
  std::string file, out;
  EngineOptions engine;
  bool fresh = false;
};

/// Two goals are one: the weighted mean of their logarithms.
double weighed(const Candidate& each, const std::vector<Goal>& goals, double weight) {
  if (goals.size() == 1) return each.value(goals[0]);
  const double first = each.value(goals[0]), second = each.value(goals[1]);
  if (!std::isfinite(first) || !std::isfinite(second)) return std::numeric_limits<double>::infinity();
  return std::exp(weight * std::log(first) + (1 - weight) * std::log(second));
}

/// Where the simulations start: the optimum of what costs less than they.
Point start_of(const OptimizeSpec& spec, Candidates& candidates, const Space& space,
               std::vector<std::string>& methods) {
  if (const auto optimum = candidates.libra_optimum()) {
    methods.emplace_back("LIBRA's model");
    return *optimum;
  }
  if (spec.coarse.empty()) return space.middle();
  const Evaluate evaluate = [&](const std::vector<Point>& points) {
    std::vector<double> values;
    for (const Candidate* each : candidates.coarse(points))
      values.push_back(each->coarse_s.value_or(std::numeric_limits<double>::infinity()));
    return values;
  };
  const SearchResult found =
      search(space, evaluate, {spec.coarse_evaluations, std::nullopt, spec.falls_with_bandwidth});
  for (const std::string& each : found.methods) methods.push_back("coarse: " + each);
  return found.best;
}

/// The candidate that is best by a weight, if any was simulated.
std::optional<Point> best_so_far(const OptimizeSpec& spec, const Candidates& candidates, double weight) {
  const Candidate* best = nullptr;
  for (const auto& each : candidates.all())
    if (each->time_s &&
        (best == nullptr || weighed(*each, spec.goals, weight) < weighed(*best, spec.goals, weight)))
      best = each.get();
  return best == nullptr ? std::nullopt : std::optional<Point>(best->point);
}

/// Of two goals each weight is a search of its own, from the best so far; they share what was simulated.
void search_all(const OptimizeSpec& spec, Candidates& candidates, Outcome& outcome) {
  const Space space = spec.space();
  const Point first = start_of(spec, candidates, space, outcome.methods);
  if (spec.goals.size() > 1) candidates.simulated(candidates.libra_front(spec.evaluations / 3));
  const std::vector<double> weights =
      spec.goals.size() == 1 ? std::vector<double>{1} : std::vector<double>{1, 0.75, 0.5, 0.25, 0};
  const std::size_t left =
                        spec.evaluations - std::min<std::size_t>(spec.evaluations, candidates.simulations()),
                    each_search = std::max<std::size_t>(1, left / weights.size());
  for (const double weight : weights) {
    const Evaluate evaluate = [&](const std::vector<Point>& points) {
      std::vector<double> values;
      for (const Candidate* each : candidates.simulated(points))
        values.push_back(weighed(*each, spec.goals, weight));
      return values;
    };
    const Point start =
        spec.goals.size() == 1 ? first : best_so_far(spec, candidates, weight).value_or(first);
    const bool planes = spec.falls_with_bandwidth && weight == 1 && spec.goals[0] == Goal::time;
    const SearchResult found = search(space, evaluate, {each_search, start, planes});
    if (weight == 1) outcome.plane_bound = found.bound;
    for (const std::string& each : found.methods)
      if (std::find(outcome.methods.begin(), outcome.methods.end(), each) == outcome.methods.end())
        outcome.methods.push_back(each);
  }
  outcome.middle = candidates.simulated({space.middle()}).front();
}

/// A probe beside the budget is no candidate.
bool fulfils(const Space& space, const Candidate& each) {
  if (!each.time_s) return false;
  if (!space.budget) return true;
  double sum = 0;
  for (std::size_t i = 0; i < each.point.size(); ++i) sum += each.point[i] * space.budget->coefficients[i];
  return std::abs(sum / space.budget->limit - 1) < 1e-3;
}

void choose(const OptimizeSpec& spec, const Candidates& candidates, Outcome& outcome) {
  std::vector<const Candidate*> possible;
  std::string reason;
  for (const auto& each : candidates.all()) {
    if (fulfils(spec.space(), *each)) possible.push_back(each.get());
    if (reason.empty()) reason = each->refused;
  }
  for (const Candidate* each : possible)
    if (outcome.best == nullptr || each->value(spec.goals[0]) < outcome.best->value(spec.goals[0]))
      outcome.best = each;
  if (outcome.best == nullptr || !std::isfinite(outcome.best->value(spec.goals[0])))
    throw std::invalid_argument("no candidate could be simulated; the first one: " + reason);
  if (spec.goals.size() < 2) return;
  outcome.front = pareto_front(possible, spec.goals[0], spec.goals[1]);
  Candidate reference = *outcome.middle;
  const Space space = spec.space();
  if (!space.budget && !space.limit) {  // no equal shares: the worst of each
    for (const Candidate* each : possible) {
      reference.time_s = std::max(reference.time_s.value_or(0), *each->time_s);
      reference.energy_j = std::max(reference.energy_j.value_or(0), each->energy_j.value_or(0));
      reference.cost = std::max(reference.cost, each->cost);
    }
  }
  if (reference.time_s)
    outcome.hypervolume = hypervolume(outcome.front, reference, spec.goals[0], spec.goals[1]);
}

/// What cheap runs say of what was simulated, for the rank correlation.
void run_coarse(const OptimizeSpec& spec, Candidates& candidates) {
  if (spec.coarse.empty()) return;
  std::vector<Point> points;
  for (const auto& each : candidates.all())
    if (each->time_s) points.push_back(each->point);
  candidates.coarse(points);
}

std::string page_of(const nlohmann::ordered_json& json) {
  std::string page(report_page()), data = nlohmann::ordered_json{{"optimize", json}}.dump();
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3)
    data.insert(at + 1, "\\");
  return page.replace(page.find("@DATA@"), 6, data);
}

int run(const OptimizeOptions& options) {
  const OptimizeSpec spec = load_optimize(options.file);
  const fs::path out = fs::absolute(options.out.empty() ? fs::path("out") / fs::path(options.file).stem()
                                                        : fs::path(options.out));
  const SweepOptions engine = options.engine.chosen({});
  engine_kind(engine.engine).require(engine);
  if (!engine.waits)
    throw std::invalid_argument("--no-wait: a search goes on from what it has seen, so it must wait");
  fs::current_path(fs::absolute(options.file).parent_path());
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm optimize " + options.file);
  if (options.fresh) fs::remove_all(CellFiles(out).folder());
  Candidates candidates(spec, out, engine);
  Outcome outcome{spec, candidates};
  search_all(spec, candidates, outcome);
  run_coarse(spec, candidates);
  choose(spec, candidates, outcome);
  const nlohmann::ordered_json json = outcome_json(outcome);
  write_files(folder.working(), {{"results.json", json.dump(1) + "\n"}, {"report.html", page_of(json)}});
  folder.commit({"results.json", "report.html"});
  fmt::print("{}\nWritten:\n  {}\n  {}\n", outcome_text(outcome), (out / "results.json").string(),
             (out / "report.html").string());
  return 0;
}

}  // namespace

std::function<int()> add_optimize_command(CLI::App& app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* command =
      app.add_subcommand("optimize", "The best values of an experiment's keys, every candidate simulated");
  command->add_option("FILE", options->file, "What may vary, and what is to be least")
      ->required()
      ->type_name("OPTIMIZE.yaml");
  command->add_option("--out", options->out, "Folder for the results; out/<name of the file> if not given")
      ->type_name("DIR");
  options->engine.add_to(*command);
  command->add_flag("--fresh", options->fresh, "Run candidates again that are done");
  command->footer(
      "An interrupted search goes on where it was: the same file takes the same path, and what is simulated "
      "is "
      "not run again.\n"
      "Example:\n  wafertlm optimize configs/studies/optimize_three_dimensions.yaml --out "
      "out/three_dimensions");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
