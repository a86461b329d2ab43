// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "platform/commands/study/study_start.h"
#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/describe/fields.h"
#include "platform/host/output_folder.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Status {
  std::string what, collector;
  std::size_t cells = 0, done = 0, attempts = 0;
  Json failed = Json::array(), running = Json::array();
  double mean_s = 0;     ///< of the attempts that ended
  double at_a_time = 0;  ///< of them, while it ran
};

/// Begun and not ended; of a worker that was killed it is only the last word.
void add_running(const std::vector<Attempt>& attempts, const std::set<std::string>& left,
                 const std::map<std::string, std::string>& commands, Status& status) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::map<std::string, const Attempt*> last;
  for (const Attempt& attempt : attempts) last[attempt.id] = &attempt;
  for (const auto& [id, attempt] : last)
    if (attempt->state == Attempt::State::running && left.count(id) > 0)
      status.running.push_back({{"id", id},
                                {"command", commands.at(id)},
                                {"worker", attempt->worker},
                                {"seconds", now - attempt->started_unix_s}});
}

void add_times(const std::vector<Attempt>& attempts, Status& status) {
  double sum_s = 0, first_s = 0, last_s = 0;
  std::size_t ended = 0;
  for (const Attempt& attempt : attempts) {
    if (attempt.state == Attempt::State::running) continue;
    if (ended++ == 0) first_s = attempt.started_unix_s;
    sum_s += attempt.seconds;
    last_s = std::max(last_s, attempt.started_unix_s + attempt.seconds);
  }
  if (ended == 0) return;
  status.mean_s = sum_s / static_cast<double>(ended);
  status.at_a_time = last_s > first_s ? sum_s / (last_s - first_s) : 1;
}

Status status_of(const fs::path& out) {
  const CellFiles files(out);
  const Json noted = Json::parse(text_of(files.sweep() / "cells.json"), nullptr, false);
  Status status;
  status.collector = writer_of(out);
  if (!noted.is_object()) return status;  // it has just begun
  status.what = noted.at("what");
  const CellFiles::Ended ended = files.ended();
  std::map<std::string, std::string> commands;
  std::set<std::string> left;
  for (const Json& cell : noted.at("cells")) {
    const std::string id = cell.at(0);
    if (!commands.emplace(id, cell.at(1)).second) continue;
    if (ended.failed.count(id) > 0) {
      const Json why = Json::parse(text_of(files.failure(id)), nullptr, false);
      status.failed.push_back({{"id", id},
                               {"command", cell.at(1)},
                               {"error", why.is_object() ? why.value("error", "") : std::string()}});
    } else if (ended.done.count(id) > 0) {
      ++status.done;
    } else {
      left.insert(id);
    }
  }
  status.cells = commands.size();
  const std::vector<Attempt> attempts = read_journals(files.sweep() / "journal");
  status.attempts = attempts.size();
  add_running(attempts, left, commands, status);
  add_times(attempts, status);
  return status;
}

}  // namespace

Json study_status_schema() {
  namespace schema = results::schema;
  const Json running = schema::object({{"id", schema::text()},
                                       {"command", schema::text()},
                                       {"worker", schema::text()},
                                       {"seconds", {{"type", "number"}}}}),
             failed = schema::object(
                 {{"id", schema::text()}, {"command", schema::text()}, {"error", schema::text()}});
  return schema::object({{"study", schema::text()},
                         {"out", schema::text()},
                         {"engine", schema::text()},
                         {"step", schema::text()},
                         {"collector", schema::text("Empty: nobody collects")},
                         {"cells", schema::count()},
                         {"done", schema::count()},
                         {"waiting", schema::count()},
                         {"attempts", schema::count()},
                         {"seconds_left", schema::number()},
                         {"running", schema::list(running)},
                         {"failed", schema::list(failed)}});
}

int show_study_status(const fs::path& out, bool as_json) {
  const StudyStart start = noted_start(out);
  const Status status = status_of(out);
  const std::size_t ended = status.done + status.failed.size(),
                    waiting = status.cells - ended - status.running.size();
  const bool is_complete = status.cells > 0 && ended == status.cells;
  const double left_s = status.at_a_time > 0 ? static_cast<double>(status.cells - ended) * status.mean_s /
                                                   std::max(1.0, status.at_a_time)
                                             : 0;
  if (as_json) {
    const Json json = {{"study", start.study},
                       {"out", start.out},
                       {"engine", start.options.engine},
                       {"step", status.what},
                       {"collector", status.collector},
                       {"cells", status.cells},
                       {"done", status.done},
                       {"waiting", waiting},
                       {"attempts", status.attempts},
                       {"seconds_left", left_s},
                       {"running", status.running},
                       {"failed", status.failed}};
    fmt::print("{}\n", json.dump(1));
    return status.failed.empty() ? 0 : 1;
  }
  fmt::print("{}\n  engine {}, {}\n", start.study, start.options.engine,
             status.collector.empty() ? "nobody collects" : "collected by " + status.collector);
  fmt::print("  {}: {} of {} done, {} failed, {} running, {} waiting; {}\n",
             status.what.empty() ? "beginning" : status.what, status.done, counted(status.cells, "cell"),
             status.failed.size(), status.running.size(), waiting, counted(status.attempts, "attempt"));
  if (left_s > 0)
    fmt::print("  about {} left, if it goes on as so far\n",
               left_s < 100 ? fmt::format("{:.0f} s", left_s) : fmt::format("{:.0f} min", left_s / 60));
  constexpr std::size_t kMostShown = 10;
  for (std::size_t i = 0; i < std::min(kMostShown, status.running.size()); ++i) {
    const Json& cell = status.running[i];
    fmt::print("  runs since {:.0f} s ({}): {}\n", cell["seconds"].get<double>(),
               cell["worker"].get<std::string>(), cell["command"].get<std::string>());
  }
  if (status.running.size() > kMostShown) fmt::print("  … and {} more\n", status.running.size() - kMostShown);
  for (const Json& cell : status.failed)
    fmt::print("  failed: {}\n    {}\n", cell["command"].get<std::string>(),
               cell["error"].get<std::string>());
  if (status.collector.empty() && !is_complete)
    fmt::print("  `wafertlm study resume {}` goes on\n", out.string());
  return status.failed.empty() ? 0 : 1;
}

}  // namespace wafertlm
