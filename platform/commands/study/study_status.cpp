// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_status.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/commands/study/study_start.h"
#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/engine.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/commands/study/sweep/time_left.h"
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
  std::optional<double> left_s;
};

/// Begun and not ended; of a worker that was killed it is only the last word.
void add_running(const std::vector<Attempt>& attempts, const std::set<std::string>& left,
                 const std::map<std::string, std::string>& commands, Status& status) {
  const double now = unix_time();
  std::map<std::string, const Attempt*> last;
  for (const Attempt& attempt : attempts) last[attempt.id] = &attempt;
  for (const auto& [id, attempt] : last)
    if (attempt->state == Attempt::State::running && left.count(id) > 0)
      status.running.push_back({{"id", id},
                                {"command", commands.at(id)},
                                {"worker", attempt->worker},
                                {"seconds", now - attempt->started_unix_s}});
}

Status status_of(const fs::path& out, unsigned at_a_time) {
  const CellFiles files(out);
  const Json noted = Json::parse(text_of(files.sweep() / "cells.json"), nullptr, false);
  Status status;
  status.collector = writer_of(out);
  if (!noted.is_object()) return status;  // it has just begun
  status.what = noted.at("what");
  const CellFiles::Ended ended = files.ended();
  std::map<std::string, std::string> commands;
  std::set<std::string> left;
  std::vector<PlannedCell> planned;
  for (const Json& cell : noted.at("cells")) {
    const std::string id = cell.at(0);
    if (!commands.emplace(id, cell.at(1)).second) continue;
    planned.push_back({id, {}, cell.size() > 2 ? cell.at(2).get<double>() : 1, 0, 0});
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
  if (!left.empty())
    status.left_s =
        seconds_left(planned, attempts, ended, unix_time(), at_a_time, noted.value("expects", false));
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
  const Status status = status_of(out, cells_at_a_time(start.options));
  const std::size_t ended = status.done + status.failed.size(),
                    waiting = status.cells - ended - status.running.size();
  const bool is_complete = status.cells > 0 && ended == status.cells;
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
                       {"seconds_left", status.left_s.value_or(0)},
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
  if (status.left_s) fmt::print("  {}\n", in_words(status.left_s).substr(2));
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
