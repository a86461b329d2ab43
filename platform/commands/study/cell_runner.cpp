// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/cell_runner.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include "platform/commands/study/sweep/engine.h"
#include "platform/host/digest.h"
#include "platform/host/files.h"

namespace wafertlm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

}  // namespace

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
  return {{}, {}, failure.is_object() ? failure.value("error", "") : "it did not run"};
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

void CellRunner::sweep(SweepPlan plan, const std::string& what, Progress::State state) {
  const auto started = std::chrono::steady_clock::now();
  const std::vector<PlannedCell> cells = plan.cells;
  const auto show = [&](const CellFiles::Ended& ended, std::size_t running) {
    double all_s = 0, done_s = 0;
    Progress::State now = state;
    for (const PlannedCell& cell : cells) {
      all_s += cell.expected_s;
      if (!ended.has(cell.id)) continue;
      done_s += cell.expected_s;
      ++now.done;
      now.failed += ended.failed.count(cell.id);
    }
    now.running = running;
    now.part = done_s / all_s;
    progress_.show(what, now, started);
  };
  engine_kind(options_.engine)
      .run(Sweep(
          std::move(plan), options_, [this] { return progress_.is_due(); }, show));
}

/// For `study status`.
void CellRunner::note_cells(const std::vector<CellJob>& jobs, const std::string& what) const {
  json cells = json::array();
  for (const CellJob& job : jobs) cells.push_back({job.id, command_line(job.words)});
  files_.put(files_.sweep() / "cells.json", json{{"what", what}, {"cells", cells}}.dump() + "\n");
}

std::vector<CellOutcome> CellRunner::run(const std::vector<CellJob>& jobs, const std::string& what,
                                         const std::function<std::vector<double>()>& expected_s) {
  fs::create_directories(files_.sweep());
  note_cells(jobs, what);
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
  const std::vector<double> seconds =
      expected_s && to_run.size() > 1 ? expected_s() : std::vector<double>(jobs.size(), 1);
  for (const std::size_t i : to_run) cells.push_back({jobs[i].id, jobs[i].words, seconds[i], 0, 0});
  if (!cells.empty()) sweep(plan_of(std::move(cells)), what, state);
  std::vector<CellOutcome> all;
  for (const CellJob& job : jobs) {
    const auto [outcome, is_new] = outcomes.try_emplace(job.id);
    if (is_new) outcome->second = outcome_of(job.id);
    all.push_back(outcome->second);
  }
  return all;
}

}  // namespace wafertlm
