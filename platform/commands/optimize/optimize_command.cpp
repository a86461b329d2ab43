// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "platform/commands/libra/cell_times.h"
#include "platform/commands/optimize/corner_bound.h"
#include "platform/commands/optimize/optimize_run.h"
#include "platform/commands/optimize/request.h"
#include "platform/commands/study/engine_options.h"
#include "platform/commands/study/sweep/engine.h"
#include "platform/host/files.h"
#include "platform/host/interrupt.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/report/report.h"
#include "platform/spec/descriptions.h"

namespace wafertlm {
namespace {

using namespace optimize;
namespace fs = std::filesystem;

struct OptimizeOptions {
  std::string file, out, warm_start, json;
  OptimizeRequest request;
  EngineOptions engine;
  bool fresh = false;
};

/// Why the best candidate takes another time than LIBRA's model says (Outcome::difference), by runs in
/// folder/cells. @param engine as that of the candidates
void explain_difference(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine,
                        Outcome& outcome) {
  const Point& point = outcome.best->point;
  const Cell cell = spec.cell(point, 0, false);
  model_gap::Question question = outcome.candidates.libra()->question(point, cell);
  question.no_latency = model_gap::least_latency(cell);
  model_gap::CellTimes times(cell.file, folder, std::move(engine));
  outcome.difference = model_gap::difference(
      question, [&](const std::vector<Cell>& cells) { return times.of(cells, "parts"); });
}

int run(const OptimizeOptions& options) {
  const OptimizeSpec spec = load_optimize(optimize_document(options.file, options.request));
  const fs::path out = fs::absolute(options.out.empty() ? fs::path("out") / fs::path(options.file).stem()
                                                        : fs::path(options.out));
  const std::string json_file =
      options.json.empty() || options.json == "-" ? options.json : fs::absolute(options.json).string();
  const SweepOptions engine = options.engine.chosen({});
  engine_kind(engine.engine).require(engine);
  if (!engine.waits)
    throw std::invalid_argument("--no-wait: a search goes on from what it has seen, so it must wait");
  std::optional<Point> start;
  if (!options.warm_start.empty()) start = earlier_optimum(spec, options.warm_start);
  fs::current_path(fs::absolute(spec.study.empty() ? options.file : spec.study).parent_path());
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm optimize " + options.file);
  folder.require_free({"results.json", "report.html"});
  const CellFiles cells(out);
  cells.take(options.fresh);
  // A request that fits no candidate leaves nothing behind.
  const std::shared_ptr<const CellFiles> leave(&cells, [](const CellFiles* each) { each->remove_unused(); });
  Candidates candidates(spec, out, engine);
  Outcome outcome{spec, candidates};
  const bool has_bound = candidates.libra() != nullptr && candidates.libra()->bound_s();
  outcome.corner = has_bound ? CornerBound{0, "", "", "LIBRA's model has one"} : bound_at_corner(spec);
  find_optimum(spec, candidates, start, outcome);
  if (spec.explain) explain_difference(spec, out, engine, outcome);
  const nlohmann::ordered_json json = outcome_json(outcome);
  folder.write("results.json", json.dump(1) + "\n");
  folder.write("report.html", report_html({{"optimize", json}}));
  folder.commit();
  if (options.json.empty() || !write_json(json_file, json))
    fmt::print("{}\nWritten:\n  {}\n  {}\n", outcome_text(outcome), (out / "results.json").string(),
               (out / "report.html").string());
  return 0;
}

}  // namespace

std::function<int()> add_optimize_command(CLI::App& app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* command =
      app.add_subcommand("optimize", "The best values of an experiment's keys, every candidate simulated");
  add_file(
      *command, "FILE", options->file,
      "An experiment (with --vary), a study (its axes vary), or a file of its own",
      [] {
        return std::vector<std::string>{"experiments", "studies"};
      },
      "FILE.yaml");
  add_shared_option(*command, "--out", options->out,
                    "folder of the results; out/<name of the file> if not given")
      ->check(names_output(OutputKind::folder));
  OptimizeRequest& request = options->request;
  const auto texts = [&](const char* name, std::vector<std::string>& to, const char* what, const char* form) {
    command->add_option(name, to, what)->type_name(form)->allow_extra_args(false);
  };
  texts("--vary", request.vary,
        "What may vary: a key of the experiment, or an axis of the study (it then is a range)",
        "[NAME:]KEY=FROM..TO[:STEP] UNIT|A,B");
  add_shared_option(*command, "--constraint", request.constraints, "'ring + switch = 300', 'ring >= switch'")
      ->allow_extra_args(false);
  texts("--goal", request.goals, "time, cost, time_cost, energy; two of them: a Pareto front", "GOAL");
  texts("--price", request.prices, "Of a unit of a variable", "NAME=NUMBER");
  add_set_option(
      *command, request.set, [] { return config::experiment_type()->all_paths(); }, "in every run");
  texts("--coarse", request.coarse,
        "Change a key in cheap runs, which come first: larger packets, fewer layers", "KEY=VALUE");
  add_shared_option(*command, "--workload", request.workloads,
                    "every candidate runs each, with a table of regret")
      ->transform(preset_or_file([] { return std::vector<std::string>{"workloads"}; }))
      ->allow_extra_args(false);
  command->add_option("--over", request.over, "An axis of the study that every candidate runs as a whole")
      ->type_name("AXIS");
  add_shared_option(*command, "--costs", request.costs)->transform(preset_or_file([] {
    return std::vector<std::string>{"costs"};
  }));
  command->add_option("--cost-at-most", request.most_cost, "$, by --costs or --price");
  command->add_option("--power-at-most", request.most_power, "W, by --costs");
  command->add_option("--fixed-price", request.fixed_price, "$ besides");
  add_shared_option(*command, "--evaluations", request.evaluations, "simulations; 40 if not given");
  command->add_option("--coarse-evaluations", request.coarse_evaluations, "Cheap runs at most; 60");
  command->add_option("--method", request.method, "automatic, kriging, direct (DIRECT-L, then Sbplx)");
  add_shared_option(*command, "--seed", request.seed, "of kriging's first points; 1 if not given");
  add_shared_option(*command, "--limit", request.limit, "candidates; none if not given");
  command->add_flag("--predictions", request.predictions,
                    "First by predictions of the collectives, without contention; nothing is simulated");
  command->add_flag("--explain", request.explain,
                    "With LIBRA's model: which part of the difference at the optimum is latency, chunks, "
                    "algorithms, contention; Themis on and off");
  command->add_option("--warm-start", options->warm_start, "Begin at the optimum of earlier results")
      ->type_name("DIR");
  options->engine.add_to(*command);
  add_shared_flag(*command, "--fresh", options->fresh, "candidates");
  add_json_option(*command, options->json);
  command->footer(
      "An interrupted search goes on where it was: the same command takes the same path, and what is "
      "simulated "
      "is not run again.\n"
      "Examples:\n"
      "  wafertlm optimize configs/experiments/resnet50_dp20_mesh_5x4.yaml --vary "
      "'wafer.fabric.link_bandwidth=50..1500:50 GB/s' --price link_bandwidth=4 --goal time --goal cost\n"
      "  wafertlm optimize configs/studies/link_bandwidth.yaml --evaluations 10\n"
      "  wafertlm optimize configs/studies/optimize_link_and_packet.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
