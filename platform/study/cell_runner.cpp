// SPDX-License-Identifier: Apache-2.0
#include "platform/study/cell_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include "platform/command/files.h"
#include "platform/study/json_path.h"
#include "platform/study/processes.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The last line, which is the message.
std::string message_in(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text.substr(text.find_last_of("\r\n") + 1);
}

/// Of one column that reads, as it is kept.
std::string kept_as(const config::ColumnSpec& column) {
  return fmt::format("{} {}", static_cast<int>(column.taken), column.read);
}

}  // namespace

CellRunner::CellRunner(const config::StudySpec& study, fs::path folder, unsigned jobs)
    : study_(study), folder_(std::move(folder)), jobs_(std::max(1U, jobs)) {
  require_writable_folder(folder_ / "cells");
}

std::string CellRunner::digest_of(const CellJob& job) const {
  return fmt::format("{:016x}", std::hash<std::string>{}(job.input));
}

/// What was kept of an earlier run, if it has everything.
bool CellRunner::recall(const CellJob& job, CellOutcome& outcome) const {
  const fs::path file = folder_ / "cells" / (digest_of(job) + ".json");
  if (!fs::exists(file)) return false;
  const json kept = json::parse(text_of(file), nullptr, false);
  if (kept.is_discarded() || kept.value("input", "") != job.input) return false;
  for (const config::ColumnSpec& column : study_.columns) {
    if (column.kind != config::ColumnSpec::Kind::read) continue;
    const auto value = kept["values"].find(kept_as(column));
    if (value == kept["values"].end()) return false;
    outcome.values[column.name] = *value;
  }
  return true;
}

/// Reads what an ended process wrote, keeps it, and removes the rest; after a failure all of it stays.
CellOutcome CellRunner::finish(const CellJob& job, const std::string& problem) const {
  const fs::path out = folder_ / "cells" / digest_of(job);
  CellOutcome outcome;
  if (!problem.empty()) {
    const std::string message = message_in(text_of(out / "errors.txt"));
    outcome.error = problem + (message.empty() ? "" : ": " + message);
    return outcome;
  }
  json kept{{"command", job.command_line()}, {"values", json::object()}, {"input", job.input}};
  try {
    const json document = json::parse(text_of(document_of(job, out.string())));
    for (const config::ColumnSpec& column : study_.columns)
      if (column.kind == config::ColumnSpec::Kind::read)
        outcome.values[column.name] = kept["values"][kept_as(column)] =
            read_path(document, column.read, column.taken);
  } catch (const std::exception& error) {
    outcome.error = error.what();
    return outcome;
  }
  write_files(folder_ / "cells", {{digest_of(job) + ".json", kept.dump(1) + "\n"}});
  fs::remove_all(out);
  return outcome;
}

std::vector<CellOutcome> CellRunner::run(const std::vector<CellJob>& jobs, const std::string& what) {
  const auto started = Clock::now();
  std::vector<CellOutcome> outcomes(jobs.size());
  std::map<std::string, std::size_t> first;  // by input: the job that runs for all that are the same
  std::vector<std::size_t> to_run;
  Progress::State state;
  state.all = jobs.size();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!first.emplace(jobs[i].input, i).second)
      --state.all;
    else if (recall(jobs[i], outcomes[i]))
      ++state.done;
    else
      to_run.push_back(i);
  }
  state.recalled = state.done;
  Processes processes;
  for (auto next = to_run.begin(); next != to_run.end() || processes.running() > 0;) {
    for (; next != to_run.end() && processes.running() < jobs_; ++next) {
      const fs::path out = folder_ / "cells" / digest_of(jobs[*next]);
      fs::remove_all(out);
      fs::create_directories(out);
      processes.start(*next, with_output(jobs[*next], out.string()), out.string());
    }
    state.running = processes.running();
    if (const auto ended = processes.wait()) {
      CellOutcome& outcome = outcomes[ended->index] = finish(jobs[ended->index], ended->problem);
      ++state.done;
      if (!outcome.error.empty()) ++state.failed;
    }
    progress_.show(what, state, started);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) outcomes[i] = outcomes[first.at(jobs[i].input)];
  return outcomes;
}

}  // namespace wafertlm
