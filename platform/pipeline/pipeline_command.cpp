// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/commands.h"
#include "platform/pipeline/inputs.h"
#include "workloads/pipelines/exact.h"
#include "workloads/pipelines/search.h"

namespace wafertlm {
namespace {

using namespace pipelines;
using nlohmann::ordered_json;

constexpr double kExhaustiveAtMost = 1e6;

struct PipelineOptions {
  std::string file;
  std::uint64_t seed = 1;
  std::size_t patience = 10, evaluations = 10'000;
  bool json = false;
};

struct Row {
  std::string algorithm;
  Found found;
};

/// Random searches run until they are as good as Shisha.
std::vector<Row> all_of(const Problem& problem, const PipelineOptions& options) {
  const Found seed = shisha(problem, 0), tuned = shisha(problem, options.patience);
  std::vector<Row> rows{
      {"dynamic programming", dynamic_programming(problem)},
      {"Shisha's seed", seed},
      {"Shisha", tuned},
      {"Shisha + local search", local_search(problem, options.patience)},
      {"hill climbing", hill_climbing(problem, options.seed, tuned.time, options.evaluations)},
      {"simulated annealing", annealing(problem, options.seed, tuned.time, options.evaluations)}};
  if (schedules(problem.layers.size(), problem.places.size()) <= kExhaustiveAtMost)
    rows.push_back({"exhaustive", exhaustive(problem)});
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

ordered_json schedule_json(const Problem& problem, const Schedule& schedule) {
  ordered_json stages = ordered_json::array();
  const std::vector<double> times = StageTimes(problem).of(schedule);
  for (std::size_t i = 0; i < schedule.size(); ++i)
    stages.push_back({{"place", problem.places[schedule[i].place].name},
                      {"first_layer", begin_of(schedule, i) + 1},
                      {"last_layer", schedule[i].end},
                      {"time_s", times[i]}});
  return stages;
}

int run(const PipelineOptions& options) {
  const PipelineSpec spec = load_pipeline(options.file);
  const Problem problem = spec.problem();
  const std::vector<Row> rows = all_of(problem, options);
  const double optimum = rows.front().found.time;
  const double count = schedules(problem.layers.size(), problem.places.size());
  ordered_json json{{"pipeline", spec.name},
                    {"layers", problem.layers.size()},
                    {"places", problem.places.size()},
                    {"schedules", count},
                    {"optimum_s", optimum}};
  std::string text =
      fmt::format("{}: {} layers, {} places, {:.0f} schedules\n\n  {:<24}{:>14}{:>9}{:>13}  {}\n", spec.name,
                  problem.layers.size(), problem.places.size(), count, "", "slowest stage", "gap",
                  "evaluations", "stages (place: layers)");
  for (const Row& row : rows) {
    const double gap = row.found.time / optimum - 1;
    text += fmt::format("  {:<24}{:>12.6g} s{:>7.2f} %{:>13}  {}\n", row.algorithm, row.found.time, 100 * gap,
                        row.found.evaluations, drawn(problem, row.found.schedule));
    json["algorithms"].push_back({{"algorithm", row.algorithm},
                                  {"time_s", row.found.time},
                                  {"gap", gap},
                                  {"evaluations", row.found.evaluations},
                                  {"stages", schedule_json(problem, row.found.schedule)}});
  }
  text +=
      "\nStage = max(operations / speed, bytes / bandwidth) + transfer of its output; nothing is simulated.\n"
      "Hill climbing and annealing stop when they are as good as Shisha, or at --evaluations. The local "
      "search\n"
      "and dynamic programming predict with that formula, which here also is what is measured.\n"
      "Shisha is as understood from the text of arXiv 2202.11575.\n";
  fmt::print("{}", options.json ? json.dump(1) + "\n" : text);
  return 0;
}

}  // namespace

std::function<int()> add_pipeline_command(CLI::App& app) {
  auto options = std::make_shared<PipelineOptions>();
  CLI::App* command = app.add_subcommand(
      "pipeline", "Layers in stages on unequal chiplets: Shisha, other searches, the optimum");
  command->add_option("FILE", options->file, "Layers and places")->required()->type_name("FILE.yaml");
  command->add_option("--seed", options->seed, "Of hill climbing and annealing")->capture_default_str();
  command->add_option("--patience", options->patience, "Shisha ends after so many evaluations without gain")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_option("--evaluations", options->evaluations, "Of hill climbing and annealing, at most")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON instead");
  command->footer("Example:\n  wafertlm pipeline configs/studies/pipeline_small.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
