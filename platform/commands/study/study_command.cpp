// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "platform/commands/study/engine_options.h"
#include "platform/commands/study/expected_time.h"
#include "platform/commands/study/figures.h"
#include "platform/commands/study/grid/read_path.h"
#include "platform/commands/study/report.h"
#include "platform/commands/study/study_database.h"
#include "platform/commands/study/study_start.h"
#include "platform/commands/study/study_status.h"
#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/engine.h"
#include "platform/host/files.h"
#include "platform/host/interrupt.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/report/report.h"
#include "platform/results/results.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string study, out;
  std::vector<std::string> overrides;
  std::string json_file = {};
  EngineOptions engine;
  std::optional<std::size_t> task;
  bool fresh = false, reports = false, json = false, failed_too = false;
};

/// Every path in a study is relative to its file, and a cell's command is what one would type there.
void go_to_folder_of(const std::string& study) { fs::current_path(fs::absolute(study).parent_path()); }

std::vector<CellJob> jobs_of(const config::StudySpec& study, const std::vector<Cell>& cells) {
  std::vector<CellJob> jobs;
  for (const Cell& cell : cells) {
    try {
      jobs.push_back(job_of(study, cell));
    } catch (const config::ConfigError& error) {
      throw config::ConfigError(
          error, fmt::format(" (cell: {}, of {})", name_of(study, cell), place_of(study).source));
    }
  }
  return jobs;
}

/// @throws config::ConfigError: a column reads what results.json never has. The JSON of other commands has
/// no schema.
void require_columns(const config::StudySpec& study) {
  if (study.command != "run") return;
  const auto schema = results_schema();
  for (std::size_t i = 0; i < study.columns.size(); ++i) {
    if (study.columns[i].kind != config::ColumnSpec::Kind::read) continue;
    const std::string key = fmt::format("columns[{}].read", i);
    try {
      require_path(schema, study.columns[i].read);
    } catch (const std::invalid_argument& error) {
      throw config::ConfigError(study.origins.find(key)->place,
                                fmt::format("columns[{}].{}", i, error.what()));
    }
  }
}

/// Runs the cells that can run; the others have their error.
std::vector<CellOutcome> run_cells(const config::StudySpec& study, const std::vector<Cell>& cells,
                                   const std::vector<CellJob>& jobs, const std::vector<std::string>& errors,
                                   const StudyStart& start, CellRunner& runner) {
  std::vector<CellJob> able;
  std::vector<Cell> able_cells;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!errors[i].empty()) continue;
    able.push_back(jobs[i]);
    able_cells.push_back(cells[i]);
  }
  const std::vector<CellOutcome> ran = runner.run(able, "study", [&] {
    return expected_seconds(study, able_cells, CellFiles(start.out).sweep() / "estimates",
                            cells_at_a_time(start.options), start.options.limits.memory_bytes);
  });
  std::vector<CellOutcome> outcomes;
  auto next = ran.begin();
  for (const std::string& error : errors)
    outcomes.push_back(error.empty() ? *next++ : CellOutcome{{}, {}, error});
  return outcomes;
}

/// Names the cells that failed. @return exit code.
int report_failures(const StudyResult& result, const fs::path& out) {
  std::size_t failed = 0;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    if (result.outcomes[i].error.empty()) continue;
    ++failed;
    const fs::path output = CellFiles(out).output(result.jobs[i].id);
    fmt::print(stderr, "wafertlm: {} failed: {}\n  (in {}) {}\n{}", name_of(result.study, result.cells[i]),
               result.outcomes[i].error, fs::current_path().string(), command_line(result.jobs[i].words),
               fs::exists(output) ? fmt::format("  its output is in {}\n", output.string()) : "");
  }
  if (failed > 0)
    fmt::print(stderr, "wafertlm: {} of {} failed\n", failed, counted(result.cells.size(), "cell"));
  return failed > 0 ? 1 : 0;
}

/// report.html of a study: charts chosen from its axes, its cells with their references, and links to the
/// reports that cells have in out/cells.
std::string study_page(const StudyResult& result, const std::filesystem::path& out) {
  nlohmann::ordered_json study = study_json(result);
  const Figures figures(result.study, result.cells, result.outcomes);
  const CellFiles files(out);
  study["axes"] = nlohmann::ordered_json::array();
  for (const config::AxisSpec& axis : result.study.axes) study["axes"].push_back({{"axis", axis.name}});
  study["columns"] = nlohmann::ordered_json::array();
  for (const config::ColumnSpec& column : result.study.columns)
    study["columns"].push_back(
        {{"column", column.name}, {"as", config::kShownAsNames[static_cast<std::size_t>(column.shown_as)]}});
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    nlohmann::ordered_json& cell = study["cells"][i];
    cell["shown"] = figures.is_shown(result.cells[i]);
    const std::filesystem::path report = files.report(result.jobs[i].id);
    if (std::filesystem::exists(report)) cell["report"] = "cells/" + report.filename().string();
  }
  return report_html({{"study", study}});
}

int run_study(const StudyStart& start, const std::string& json_file) {
  config::StudySpec study = config::load_study(start.study);
  study.overrides.insert(study.overrides.end(), start.overrides.begin(), start.overrides.end());
  const fs::path out = start.out;
  const EngineKind& engine = engine_kind(start.options.engine);
  engine.require(start.options);
  require_columns(study);
  if (start.options.reports && study.command != "run")
    throw std::invalid_argument(
        fmt::format("--report: cells of 'command: {}' have no reports, those of 'run' do", study.command));
  go_to_folder_of(start.study);
  std::vector<Cell> cells = grid_of(study);
  std::vector<CellJob> jobs = jobs_of(study, cells);  // refuses bad input before anything runs
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm study " + start.study);
  folder.require_free({"results.json", "results.csv", "resolved.yaml", "report.html", "results.sqlite"});
  CellFiles(out).take(start.fresh);
  note_start(start);
  CellRunner runner(study, out, start.options);
  const std::vector<Calibrated> calibrated = calibrate(study, cells, runner);
  const std::vector<std::string> errors = apply(study, calibrated, cells);
  if (!calibrated.empty()) jobs = jobs_of(study, cells);
  const std::vector<CellOutcome> outcomes = run_cells(study, cells, jobs, errors, start, runner);

  CellFiles(out).remove_leftovers();
  const StudyResult result{study, cells, jobs, outcomes, calibrated};
  folder.write("results.json", study_json(result).dump(1) + "\n");
  folder.write("results.csv", study_csv(result));
  folder.write("resolved.yaml", config::resolved_yaml(study));
  folder.write("report.html", study_page(result, out));
  write_study_database(folder.working() / "results.sqlite", result, out);
  folder.commit();
  if (json_file.empty() || !write_json(json_file, study_json(result)))
    fmt::print("{}\nWritten: {}, report.html\n", study_text(result),
               (out / "results.{json,csv,sqlite}").string());
  return report_failures(result, out);
}

/// @return exit code.
int run_or_submit(const StudyStart& start, const std::string& given_json) {
  const std::string json_file =
      given_json.empty() || given_json == "-" ? given_json : fs::absolute(given_json).string();
  try {
    return run_study(start, json_file);
  } catch (const Submitted& submitted) {
    if (!json_file.empty() && write_json(json_file, {{"submitted", submitted.what()}})) return 0;
    fmt::print("{}\n`wafertlm study status {}` says how far it is\n", submitted.what(), start.out);
    return 0;
  }
}

int run(const Options& options) {
  if (options.study.empty()) throw std::invalid_argument("STUDY is required");
  StudyStart start;
  start.study = fs::absolute(options.study).string();
  start.out = fs::absolute(options.out.empty() ? fs::path("out") / fs::path(options.study).stem()
                                               : fs::path(options.out))
                  .string();
  start.overrides = options.overrides;
  start.options = options.engine.chosen({});
  start.options.reports = options.reports;
  start.fresh = options.fresh;
  return run_or_submit(start, options.json_file);
}

int resume(const Options& options) {
  StudyStart start = noted_start(options.out);
  start.out = fs::absolute(options.out).string();
  start.options = options.engine.chosen(start.options);
  start.options.resumed = !options.failed_too;
  return run_or_submit(start, options.json_file);
}

}  // namespace

std::size_t check_study(const config::StudySpec& study, const std::string& file) {
  require_columns(study);
  go_to_folder_of(file);
  return jobs_of(study, grid_of(study)).size();
}

config::FileKind study_file_kind() {
  config::FileKind kind = config::spec_file_kind(*config::study_type());
  kind.check = [](const config::CheckRequest& request, std::ostream& out) {
    const config::StudySpec spec = config::load_study(request.file, request.overrides);
    const std::size_t cells = check_study(spec, request.file);
    out << (request.resolved
                ? config::resolved_yaml(spec)
                : config::check_line("study", fmt::format("{}: {}", spec.name, counted(cells, "cell"))));
  };
  return kind;
}

std::function<int()> add_study_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("study", "Run many experiments side by side and print them in one table");
  add_file(*command, "STUDY", options->study, "Study file", "studies")->required(false);
  add_shared_option(*command, "--out", options->out,
                    "folder of the results; out/<name of the study file> if not given")
      ->check(names_output(OutputKind::folder));
  add_shared_flag(*command, "--fresh", options->fresh, "cells");
  add_shared_flag(*command, "--report", options->reports,
                  "of every cell; report.html of the study links to it");
  add_set_option(
      *command, options->overrides, [] { return config::experiment_type()->all_paths(); },
      "in every cell: iterations=1");
  add_json_option(*command, options->json_file);
  options->engine.add_to(*command);
  command->footer(
      "A cell that is done with the same input and program is not run again. Tables do not depend on the "
      "engine.\n"
      "Exit codes: 1 a cell failed (the others are in the table).\n"
      "Examples:\n"
      "  wafertlm study configs/studies/link_bandwidth.yaml --out out/link_bandwidth\n"
      "  wafertlm study configs/studies/link_bandwidth.yaml --engine slurm --sbatch '--partition=short'\n"
      "  wafertlm study status out/link_bandwidth\n"
      "  wafertlm study resume out/link_bandwidth\n"
      "  wafertlm check configs/studies/link_bandwidth.yaml");

  CLI::App* status = command->add_subcommand("status", "Say how far a study is");
  status->add_option("DIR", options->out, "The study's --out")->required()->type_name("DIR");
  add_json_flag(*status, options->json, study_status_schema);
  CLI::App* again = command->add_subcommand("resume", "Go on with a study that was ended, or collect it");
  again->add_option("DIR", options->out, "The study's --out")->required()->type_name("DIR");
  again->add_flag("--failed-too", options->failed_too, "Run cells again that have failed");
  options->engine.add_to(*again);
  add_json_option(*again, options->json_file);
  again->footer("Options that are not given are those that the study began with.");
  CLI::App* worker = command->add_subcommand("worker", "What the engines start")->group("");
  worker->add_option("PLAN", options->study, "Plan file")->required();
  worker->add_option("--task", options->task, "Which task of it; not given: cells from standard input");
  CLI::App* estimate = command->add_subcommand("estimate", "What a study asks before it begins")->group("");
  estimate->add_option("EXPERIMENT", options->study, "Experiment file")->required();
  add_set_option(*estimate, options->overrides, [] { return config::experiment_type()->all_paths(); });

  return [=] {
    if (*estimate) return print_expected_seconds(options->study, options->overrides);
    if (*status) return show_study_status(options->out, options->json);
    if (*again) return resume(*options);
    if (*worker)
      return options->task ? run_slurm_task(options->study, *options->task)
                           : run_cells_from_input(options->study);
    return run(*options);
  };
}

}  // namespace wafertlm
