// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/cell_worker.h"

#include <fmt/core.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "platform/commands/study/grid/grid.h"
#include "platform/commands/study/grid/pruned_json.h"
#include "platform/commands/study/grid/read_path.h"
#include "platform/host/interrupt.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The first line of the program's message; the last line of all, if it came to none.
std::string message_in(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  const std::size_t own = ("\n" + text).rfind("\nwafertlm: ");
  if (own != std::string::npos) return text.substr(own, text.find('\n', own) - own);
  return text.substr(text.find_last_of("\r\n") + 1);
}

/// The folder of this attempt has another name each time; what is kept must not.
std::string without(std::string text, const std::string& folder) {
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
    text.replace(at, folder.size(), "(its folder)");
  return text;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

void give_up(const CellFiles& files, const PlannedCell& cell, const std::string& error, int exit_code) {
  files.put(
      files.failure(cell.id),
      json{{"id", cell.id}, {"command", command_line(cell.words)}, {"error", error}, {"exit_code", exit_code}}
              .dump(1, ' ', false, json::error_handler_t::replace) +
          "\n");
}

std::string lost_text() {
  return fmt::format("whatever ran it ended {} times before it did (out of memory?)", kMostLosses);
}

CellWorker::CellWorker(const SweepPlan& plan, std::string program, const fs::path& journal)
    : plan_(plan), files_(plan.study_folder), program_(std::move(program)), journal_(journal) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    index[plan.cells[i].id] = i;
    failures_.push_back(plan.cells[i].failures);
    losses_.push_back(plan.cells[i].losses);
  }
  for (const Attempt& attempt : read_journal(journal)) {  // of this task before it was begun again
    const auto cell = index.find(attempt.id);
    if (cell == index.end()) continue;
    failures_[cell->second] += attempt.state == Attempt::State::failed;
    losses_[cell->second] += attempt.state == Attempt::State::running;
  }
}

void CellWorker::start(std::size_t index, CellProcesses& processes) {
  const PlannedCell& cell = plan_.cells[index];
  const fs::path folder = files_.attempt(cell.id);
  fs::remove_all(folder);
  fs::create_directories(folder);
  running_[index] = journal_.begin(cell.id);
  std::vector<std::string> words = with_output(cell.words, folder.string());
  if (plan_.reports) words.emplace_back("--report");
  processes.start(index, words, folder.string());
}

/// @return what is wrong with the document; empty: nothing.
std::string CellWorker::keep_figures(const PlannedCell& cell, const fs::path& folder) const {
  json values = json::object(), half_widths = json::object();
  try {
    std::vector<std::string> paths;
    for (const config::ColumnSpec& column : plan_.columns) {
      paths.push_back(column.read);
      if (std::string path = half_width_path(column.read); !path.empty()) paths.push_back(std::move(path));
    }
    const json document = pruned_json(text_of(document_of(cell.words, folder.string())), paths);
    for (const config::ColumnSpec& column : plan_.columns) {
      values[kept_as(column)] = read_path(document, column.read, column.taken);
      const double half_width = read_half_width(document, column.read, column.taken);
      if (half_width != 0) half_widths[kept_as(column)] = half_width;
    }
    if (plan_.reports) fs::rename(folder / "report.html", files_.report(cell.id));
  } catch (const std::exception& error) {
    return error.what();
  }
  files_.put(files_.result(cell.id), json{{"id", cell.id},
                                          {"command", command_line(cell.words)},
                                          {"values", values},
                                          {"half_widths", half_widths}}
                                             .dump(1) +
                                         "\n");
  return "";
}

std::string CellWorker::reason(const CellProcesses::Ended& ended, const fs::path& folder) const {
  if (ended.is_late) return fmt::format("it took more than {} s (--time-limit)", plan_.limits.processor_s);
  const std::string message = message_in(without(text_of(folder / "errors.txt"), folder.string()));
  const std::string limit =
      plan_.limits.memory_bytes == 0 || ended.exit_code == kExitBadInput
          ? ""
          : fmt::format(" (with {} of memory: --memory-limit)", format_bytes(plan_.limits.memory_bytes));
  return ended.problem + (message.empty() ? "" : ": " + message) + limit;
}

/// @return whether it is to run again.
bool CellWorker::finish(const CellProcesses::Ended& ended) {
  const PlannedCell& cell = plan_.cells[ended.index];
  const fs::path folder = files_.attempt(cell.id);
  const auto running = running_.find(ended.index);
  Attempt attempt = std::move(running->second);
  running_.erase(running);
  // A failure that would come again in the same way has no second attempt.
  bool again = ended.exit_code != 0 && ended.exit_code != kExitBadInput && !ended.is_late;
  attempt.error = ended.problem.empty() ? keep_figures(cell, folder) : reason(ended, folder);
  attempt.state = attempt.error.empty() ? Attempt::State::done : Attempt::State::failed;
  attempt.seconds = ended.seconds;
  attempt.processor_s = seconds_of(ended.usage.ru_utime) + seconds_of(ended.usage.ru_stime);
  attempt.peak_memory_bytes = static_cast<std::uint64_t>(ended.usage.ru_maxrss) * 1024;
  attempt.exit_code = ended.exit_code;
  std::error_code ignored;
  if (!attempt.error.empty()) {
    again = again && ++failures_[ended.index] <= plan_.limits.retries;
    if (!again) {
      give_up(files_, cell, attempt.error, attempt.exit_code);
      fs::remove_all(files_.output(cell.id), ignored);
      fs::rename(folder, files_.output(cell.id), ignored);
    }
  }
  journal_.end(attempt);
  fs::remove_all(folder, ignored);
  return again;
}

void CellWorker::run(const std::vector<std::size_t>& cells, unsigned at_a_time,
                     const std::function<void(std::size_t)>& turn) {
  std::deque<std::size_t> waiting, suspects;
  for (const std::size_t cell : cells) {
    if (files_.has_ended(plan_.cells[cell].id)) continue;
    if (losses_[cell] >= kMostLosses)
      give_up(files_, plan_.cells[cell], lost_text());
    else
      (losses_[cell] > 0 ? suspects : waiting).push_back(cell);
  }
  waiting.insert(waiting.end(), suspects.begin(), suspects.end());
  CellProcesses processes(program_, plan_.limits);
  try {
    while (!waiting.empty() || processes.running() > 0) {
      for (; !waiting.empty() && processes.running() < at_a_time; waiting.pop_front())
        start(waiting.front(), processes);
      const auto ended = processes.wait();
      if (ended && finish(*ended)) waiting.push_back(ended->index);
      if (turn) turn(processes.running());
    }
  } catch (const Interrupted&) {
    for (auto& [cell, attempt] : running_) {
      attempt.state = Attempt::State::interrupted;
      journal_.end(attempt);
    }
    throw;
  }
}

}  // namespace wafertlm
