// SPDX-License-Identifier: Apache-2.0
#include "platform/study/study_command.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/command/interrupt.h"
#include "platform/command/output_folder.h"
#include "platform/commands.h"
#include "platform/config/load.h"
#include "platform/results/results.h"
#include "platform/study/read_path.h"
#include "platform/study/report.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string study, out;
  std::vector<std::string> overrides;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool fresh = false;
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
std::vector<CellOutcome> run_cells(const std::vector<CellJob>& jobs, const std::vector<std::string>& errors,
                                   CellRunner& runner) {
  std::vector<CellJob> able;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (errors[i].empty()) able.push_back(jobs[i]);
  const std::vector<CellOutcome> ran = runner.run(able, "study");
  std::vector<CellOutcome> outcomes;
  auto next = ran.begin();
  for (const std::string& error : errors)
    outcomes.push_back(error.empty() ? *next++ : CellOutcome{{}, error});
  return outcomes;
}

int run(const Options& options) {
  config::StudySpec study = config::load_study(options.study);
  study.overrides.insert(study.overrides.end(), options.overrides.begin(), options.overrides.end());
  const fs::path out = fs::absolute(options.out.empty() ? fs::path("out") / fs::path(options.study).stem()
                                                        : fs::path(options.out));
  require_columns(study);
  go_to_folder_of(options.study);
  std::vector<Cell> cells = grid_of(study);
  jobs_of(study, cells);  // refuses bad input before anything runs
  const InterruptNotes interrupts;
  OutputFolder folder(out, "wafertlm study " + options.study);
  if (options.fresh) fs::remove_all(out / "cells");
  CellRunner runner(study, out, options.jobs);
  const std::vector<Calibrated> calibrated = calibrate(study, cells, runner);
  const std::vector<std::string> errors = apply(study, calibrated, cells);
  const std::vector<CellJob> jobs = jobs_of(study, cells);
  const std::vector<CellOutcome> outcomes = run_cells(jobs, errors, runner);

  const StudyResult result{study, cells, jobs, outcomes, calibrated};
  write_files(folder.working(), {{"results.json", study_json(result).dump(1) + "\n"},
                                 {"results.csv", study_csv(result)},
                                 {"resolved.yaml", config::resolved_yaml(study)}});
  folder.commit({"results.json", "results.csv", "resolved.yaml"});
  fmt::print("{}\nWritten: {}\n", study_text(result), (out / "results.{json,csv}").string());
  std::size_t failed = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (outcomes[i].error.empty()) continue;
    ++failed;
    fmt::print(stderr, "wafertlm: {} failed: {}\n  (in {}) {}\n", name_of(study, cells[i]), outcomes[i].error,
               fs::current_path().string(), jobs[i].command_line());
  }
  if (failed > 0) fmt::print(stderr, "wafertlm: {} of {} failed\n", failed, counted(cells.size(), "cell"));
  return failed > 0 ? 1 : 0;
}

}  // namespace

std::size_t check_study(const config::StudySpec& study, const std::string& file) {
  require_columns(study);
  go_to_folder_of(file);
  return jobs_of(study, grid_of(study)).size();
}

std::function<int()> add_study_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("study", "Run many experiments side by side and print them in one table");
  command->add_option("STUDY", options->study, "Study file")->required()->type_name("FILE");
  command
      ->add_option("--out", options->out, "Folder for the results; out/<name of the study file> if not given")
      ->type_name("DIR");
  command->add_option("--jobs", options->jobs, "Cells that run at the same time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--fresh", options->fresh, "Run cells again that are done");
  command->add_option("--set", options->overrides, "Change a key in every cell: iterations=1");
  command->footer(
      "A cell that is done with the same input and program is not run again, so an interrupted study goes on "
      "where it was.\n"
      "Examples:\n"
      "  wafertlm study configs/studies/link_bandwidth.yaml --out out/link_bandwidth\n"
      "  wafertlm check configs/studies/link_bandwidth.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
