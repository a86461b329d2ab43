// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/commands/pipeline/drawing.h"
#include "platform/commands/pipeline/exact.h"
#include "platform/commands/pipeline/inputs.h"
#include "platform/commands/pipeline/search.h"
#include "platform/commands/pipeline/simulated.h"
#include "platform/describe/table.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/spec/descriptions.h"

namespace wafertlm {
namespace {

using namespace pipelines;
using results::Json;
namespace schema = results::schema;

constexpr double kExhaustiveAtMost = 1e6, kSimulatedAtMost = 1000;

struct PipelineOptions {
  std::string file, svg;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  std::size_t seeds = 1, patience = 10, evaluations = 2'000;
  bool json = false;
};

struct Row {
  std::string algorithm;
  Found found;
  double host_s = 0;
};

using Search = std::function<Found()>;
using SeededSearch = std::function<Found(std::uint64_t seed)>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Row timed(const std::string& algorithm, const Search& search) {
  const auto start = std::chrono::steady_clock::now();
  Found found = search();
  return {algorithm, std::move(found), seconds_since(start)};
}

/// Of several seeds the run with the median number of evaluations.
Row median(const std::string& algorithm, const PipelineOptions& options, const SeededSearch& search) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < options.seeds; ++i)
    rows.push_back(timed(algorithm, [&] { return search(options.seed + i); }));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.found.evaluations < b.found.evaluations; });
  return rows[rows.size() / 2];
}

/// What a closed form found, measured once.
Found measured_once(const Problem& problem, const Schedule& schedule) {
  return {schedule, Evaluator(problem).measure(schedule).period, 1};
}

/// Random searches run until they are as good as Shisha.
std::vector<Row> all_of(const Problem& problem, const PipelineOptions& options, const Found& predicted) {
  std::vector<Row> rows;
  if (problem.measure)
    rows.push_back(timed("optimum by formula", [&] { return measured_once(problem, predicted.schedule); }));
  else
    rows.push_back({"dynamic programming", predicted, 0});
  rows.push_back(timed("Shisha's seed", [&] { return shisha(problem, 0); }));
  rows.push_back(timed("Shisha", [&] { return shisha(problem, options.patience); }));
  const double target = rows.back().found.time;
  rows.push_back(timed("Shisha + local search", [&] { return local_search(problem, options.patience); }));
  const auto until = [&](auto search) {
    return [&problem, &options, target, search](std::uint64_t seed) {
      return search(problem, seed, target, options.evaluations);
    };
  };
  rows.push_back(median("like Pipe-Search", options, until(guided_evolution)));
  rows.push_back(median("hill climbing", options, until(hill_climbing)));
  rows.push_back(median("simulated annealing", options, until(annealing)));
  const double count = schedules(problem.layers.size(), problem.places.size());
  if (count <= (problem.measure ? kSimulatedAtMost : kExhaustiveAtMost))
    rows.push_back(timed("exhaustive", [&] { return exhaustive(problem); }));
  return rows;
}

/// "a: 1-4 | b: 5-8"
std::string drawn(const Problem& problem, const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size(); ++i)
    text += fmt::format("{}{}: {}-{}", i == 0 ? "" : " | ", problem.places[schedule[i].place].name,
                        begin_of(schedule, i) + 1, schedule[i].end);
  return text;
}

Json schedule_json(const Problem& problem, const Schedule& schedule) {
  Json stages = Json::array();
  const std::vector<double> times = Evaluator(problem).measure(schedule).stages;
  for (std::size_t i = 0; i < schedule.size(); ++i)
    stages.push_back({{"place", problem.places[schedule[i].place].name},
                      {"first_layer", begin_of(schedule, i) + 1},
                      {"last_layer", schedule[i].end},
                      {"time_s", times[i]}});
  return stages;
}

constexpr const char* kByFormula =
    "\nStage = max(operations / speed, bytes / bandwidth) + transfer of its output; nothing is simulated.\n"
    "Random searches stop when they are as good as Shisha, or at --evaluations. The local search and "
    "dynamic\n"
    "programming predict with that formula, which here also is what is measured.\n";
constexpr const char* kBySimulation =
    "\nEvery evaluation simulates the pipeline on the platform, transfers share its links. The gap is to "
    "the\n"
    "bound: the optimum of max(operations / speed, bytes / bandwidth) + transfer on links of one's own.\n"
    "Random searches stop when they are as good as Shisha, or at --evaluations.\n";
constexpr const char* kAsUnderstood =
    "Shisha is as understood from the text of arXiv 2202.11575, Pipe-Search from its abstract.\n";

/// Of the table.
struct ShownRow {
  const Problem& problem;
  const Row& row;
  double bound;  ///< what the gap is to

  /// Simulated times are whole picoseconds: they may lie that much below the bound.
  double gap() const {
    const double ratio = row.found.time / bound - 1;
    return std::abs(ratio) < 1e-6 ? 0 : ratio;
  }
};

/// @param time its heading
Table<ShownRow> algorithms_table(const char* time) {
  using R = const ShownRow&;
  Table<ShownRow> t;
  t.column("algorithm", "", shown::text(), [](R of) { return of.row.algorithm; });
  t.add("time_s", schema::seconds("Per input"), [](R of) { return of.row.found.time; });
  t.cell(time, shown::number("{:.6g} s"), [](R of) { return of.row.found.time; });
  t.column("gap", "gap", shown::percent(), &ShownRow::gap);
  t.column("evaluations", "evaluations", shown::whole(), [](R of) { return of.row.found.evaluations; });
  t.add("host", schema::object({{"wall_s", schema::seconds()}}), [](R of) {
    return Json{{"wall_s", of.row.host_s}};
  });
  t.cell("host", shown::number("{:.3f} s"), [](R of) { return of.row.host_s; });
  t.add("stages",
        schema::list(schema::object({{"place", schema::text()},
                                     {"first_layer", schema::positive()},
                                     {"last_layer", schema::positive()},
                                     {"time_s", schema::seconds()}})),
        [](R of) { return schedule_json(of.problem, of.row.found.schedule); });
  t.cell("stages (place: layers)", shown::text(),
         [](R of) { return drawn(of.problem, of.row.found.schedule); });
  return t;
}

Json pipeline_schema() {
  return schema::object({{"pipeline", schema::text()},
                         {"layers", schema::positive()},
                         {"places", schema::positive()},
                         {"schedules", schema::number("That there are")},
                         {"bound_s", schema::seconds("With simulation: the optimum on links of one's own")},
                         {"optimum_s", schema::seconds("Without")},
                         {"simulated_on", schema::or_null(schema::text(), "A platform")},
                         {"algorithms", algorithms_table("").list_schema()}},
                        nullptr, {"bound_s", "optimum_s"});
}

const Row& best_of(const std::vector<Row>& rows) {
  return *std::min_element(rows.begin(), rows.end(),
                           [](const Row& a, const Row& b) { return a.found.time < b.found.time; });
}

int run(const PipelineOptions& options) {
  const PipelineSpec spec = load_pipeline(options.file, options.overrides);
  if (!options.svg.empty() && !spec.platform)
    throw std::invalid_argument("--svg draws on a wafer: " + options.file + " names no 'platform'");
  Problem problem = spec.problem();
  const Found predicted = dynamic_programming(problem);
  std::unique_ptr<SimulatedPipeline> simulated;
  if (spec.platform) {
    simulated = std::make_unique<SimulatedPipeline>(*spec.platform, problem, spec.npus());
    problem.measure = [&](const Schedule& schedule) { return simulated->measure(schedule); };
  }
  const std::vector<Row> rows = all_of(problem, options, predicted);
  const double count = schedules(problem.layers.size(), problem.places.size());
  Json json{{"pipeline", spec.name},
            {"layers", problem.layers.size()},
            {"places", problem.places.size()},
            {"schedules", count},
            {simulated ? "bound_s" : "optimum_s", predicted.time},
            {"simulated_on", spec.platform ? Json(spec.platform->name) : Json()}};
  const Table<ShownRow> table = algorithms_table(simulated ? "per input" : "slowest stage");
  std::vector<ShownRow> shown_rows;
  for (const Row& row : rows) shown_rows.push_back({problem, row, predicted.time});
  json["algorithms"] = table.list(shown_rows);
  std::string text = fmt::format("{}: {} layers, {} places, {:.0f} schedules\n{}\n{}", spec.name,
                                 problem.layers.size(), problem.places.size(), count,
                                 simulated ? fmt::format("Bound: {:.6g} s per input\n", predicted.time) : "",
                                 table.text(shown_rows));
  if (simulated) {
    const Row& best = best_of(rows);
    text += fmt::format("\nThe best ({}) on the wafer (stage:layers):\n{}", best.algorithm,
                        drawn_on_wafer(spec, best.found.schedule));
    if (!options.svg.empty())
      write_file("--svg", options.svg,
                 svg_of(spec, best.found.schedule, simulated->measure(best.found.schedule).stages));
  }
  text += std::string(simulated ? kBySimulation : kByFormula) + kAsUnderstood;
  fmt::print("{}", options.json ? json.dump(1) + "\n" : text);
  return 0;
}

}  // namespace

std::function<int()> add_pipeline_command(CLI::App& app) {
  auto options = std::make_shared<PipelineOptions>();
  CLI::App* command = app.add_subcommand(
      "pipeline", "Layers in stages on unequal chiplets: Shisha, other searches, the optimum");
  add_file(*command, "FILE", options->file, "Layers and places", "studies", "FILE.yaml");
  add_set_option(
      *command, options->overrides, [] { return config::platform_type()->all_paths(); }, "of the platform");
  add_shared_option(*command, "--seed", options->seed, "of the random searches")->capture_default_str();
  add_shared_option(*command, "--seeds", options->seeds, "the median of the evaluations is shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--patience", options->patience, "Shisha ends after so many evaluations without gain")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  add_shared_option(*command, "--evaluations", options->evaluations, "of a random search")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--svg", options->svg, "Also draw the best schedule on the wafer")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  add_json_flag(*command, options->json, pipeline_schema);
  command->footer(
      "Examples:\n"
      "  wafertlm pipeline configs/studies/pipeline_small.yaml\n"
      "  wafertlm pipeline configs/studies/pipeline_resnet50_wafer.yaml --seeds 5 --svg schedule.svg");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
