// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/cell_runner.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "platform/commands/study/sweep/cell_worker.h"
#include "platform/commands/study/sweep/engine.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/commands/study/sweep/time_left.h"
#include "platform/host/digest.h"
#include "platform/host/files.h"
#include "platform/host/shell.h"

namespace wafertlm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kStatuses = {"done", "failed", "bad_input", "not_run"};

}  // namespace

std::string name_of(CellStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

CellRunner::CellRunner(const config::StudySpec& study, fs::path folder, SweepOptions options)
    : study_(study), files_(std::move(folder)), options_(std::move(options)) {
  fs::create_directories(files_.folder());
}

/// What was kept of an earlier run, if it has everything.
std::optional<CellOutcome> CellRunner::recall(const std::string& id) const {
  const fs::path file = files_.result(id);
  if (!fs::exists(file) || (options_.reports && !fs::exists(files_.report(id)))) return std::nullopt;
  const json kept = json::parse(text_of(file), nullptr, false);
  if (!kept.is_object() || kept.value("id", "") != id || !kept.contains("values")) return std::nullopt;
  CellOutcome outcome;
  for (const config::ColumnSpec& column : study_.columns) {
    if (column.kind != config::ColumnSpec::Kind::read) continue;
    const auto value = kept["values"].find(kept_as(column));
    if (value == kept["values"].end()) return std::nullopt;
    outcome.values[column.name] = *value;
    if (kept.contains("half_widths") && kept["half_widths"].contains(kept_as(column)))
      outcome.half_widths[column.name] = kept["half_widths"][kept_as(column)];
  }
  return outcome;
}

CellOutcome CellRunner::outcome_of(const std::string& id) const {
  if (auto outcome = recall(id)) return *outcome;
  const json failure = json::parse(text_of(files_.failure(id)), nullptr, false);
  if (!failure.is_object()) return {{}, {}, "it did not run", CellStatus::not_run};
  return {{},
          {},
          failure.value("error", ""),
          failure.value("exit_code", 0) == kExitBadInput ? CellStatus::bad_input : CellStatus::failed};
}

std::vector<CellOutcome> CellRunner::so_far(const std::vector<CellJob>& jobs) const {
  std::vector<CellOutcome> all;
  for (const CellJob& job : jobs) all.push_back(outcome_of(job.id));
  return all;
}

SweepPlan CellRunner::plan_of(std::vector<PlannedCell> cells) const {
  std::stable_sort(cells.begin(), cells.end(),
                   [](const PlannedCell& a, const PlannedCell& b) { return a.expected_s > b.expected_s; });
  SweepPlan plan;
  plan.program = own_path();
  plan.program_digest = sha256_of_file("/proc/self/exe");
  plan.folder = fs::current_path().string();
  plan.study_folder = files_.folder().parent_path().string();
  plan.limits = options_.limits;
  plan.reports = options_.reports;
  for (const config::ColumnSpec& column : study_.columns)
    if (column.kind == config::ColumnSpec::Kind::read) plan.columns.push_back(column);
  plan.cells = std::move(cells);
  return plan;
}

void CellRunner::sweep(SweepPlan plan, const std::string& what, Progress::State state, bool expects) {
  const std::vector<PlannedCell> cells = plan.cells;
  const auto show = [&](const CellFiles::Ended& ended, std::size_t running) {
    Progress::State now = state;
    for (const PlannedCell& cell : cells) {
      if (!ended.has(cell.id)) continue;
      ++now.done;
      now.failed += ended.failed.count(cell.id);
    }
    now.running = running;
    now.left_s = seconds_left(cells, read_journals(files_.sweep() / "journal"), ended, unix_time(),
                              cells_at_a_time(options_), expects);
    progress_.show(what, now);
  };
  engine_kind(options_.engine)
      .run(Sweep(
          std::move(plan), options_, [this] { return progress_.is_due(); }, show));
}

/// For `study status`.
void CellRunner::note_cells(const std::vector<CellJob>& jobs, const std::string& what,
                            const std::vector<double>& expected_s, bool expects) const {
  json cells = json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i)
    cells.push_back({jobs[i].id, command_line(jobs[i].words), expected_s[i]});
  files_.put(files_.sweep() / "cells.json",
             json{{"what", what}, {"expects", expects}, {"cells", cells}}.dump() + "\n");
}

std::vector<CellOutcome> CellRunner::run(const std::vector<CellJob>& jobs, const std::string& what,
                                         const std::function<std::vector<double>()>& expected_s) {
  fs::create_directories(files_.sweep());
  std::vector<double> seconds(jobs.size(), 1);
  note_cells(jobs, what, seconds, false);
  std::map<std::string, CellOutcome> outcomes;  // by id: jobs that are the same run once
  std::set<std::string> seen;
  std::vector<std::size_t> to_run;
  std::error_code ignored;
  Progress::State state;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string& id = jobs[i].id;
    if (!seen.insert(id).second) continue;
    ++state.all;
    if (auto outcome = recall(id)) {
      outcomes[id] = std::move(*outcome);
      ++state.recalled;
    } else if (options_.resumed && fs::exists(files_.failure(id))) {
      ++state.recalled;
      ++state.failed;
    } else {
      fs::remove(files_.result(id), ignored);  // of no use
      fs::remove(files_.failure(id), ignored);
      fs::remove_all(files_.output(id), ignored);
      to_run.push_back(i);
    }
  }
  state.done = state.recalled;
  std::vector<PlannedCell> cells;
  const bool expects = expected_s && to_run.size() > 1;
  if (expects) {
    seconds = expected_s();
    note_cells(jobs, what, seconds, expects);
  }
  for (const std::size_t i : to_run) cells.push_back({jobs[i].id, jobs[i].words, seconds[i], 0, 0});
  if (!cells.empty()) sweep(plan_of(std::move(cells)), what, state, expects);
  std::vector<CellOutcome> all;
  for (const CellJob& job : jobs) {
    const auto [outcome, is_new] = outcomes.try_emplace(job.id);
    if (is_new) outcome->second = outcome_of(job.id);
    all.push_back(outcome->second);
  }
  return all;
}

}  // namespace wafertlm
