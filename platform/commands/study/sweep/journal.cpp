// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "platform/commands/study/sweep/cell_files.h"

namespace wafertlm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kStates = {"running", "done", "failed", "interrupted"};

}  // namespace

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string name_of(Attempt::State state) { return kStates[static_cast<std::size_t>(state)]; }

Journal::Journal(fs::path file) : file_(std::move(file)), worker_(worker_name()) {
  fs::create_directories(file_.parent_path());
}

/// In one write, so that a line of a second worker does not come between (a task may run twice).
void Journal::append(const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const int file = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const ssize_t written = file < 0 ? -1 : write(file, text.data(), text.size());
  if (file >= 0) close(file);
  if (written != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("cannot write " + file_.string() + "; is the disk full?");
}

Attempt Journal::begin(const std::string& id) {
  Attempt attempt;
  attempt.id = id;
  attempt.worker = worker_;
  attempt.started_unix_s = unix_time();
  append({{"begin", id}, {"worker", worker_}, {"time", attempt.started_unix_s}});
  return attempt;
}

void Journal::end(const Attempt& attempt) {
  append({{"end", attempt.id},
          {"worker", worker_},
          {"state", static_cast<int>(attempt.state)},
          {"seconds", attempt.seconds},
          {"processor_s", attempt.processor_s},
          {"peak_memory_bytes", attempt.peak_memory_bytes},
          {"exit_code", attempt.exit_code},
          {"error", attempt.error}});
}

std::vector<Attempt> read_journal(const fs::path& path) {
  std::vector<Attempt> attempts;
  std::map<std::pair<std::string, std::string>, std::size_t> open;  // by id and worker
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    const std::string worker = line.value("worker", "");
    if (line.contains("begin")) {
      Attempt& attempt = attempts.emplace_back();
      attempt.id = line["begin"];
      attempt.worker = worker;
      attempt.started_unix_s = line.value("time", 0.0);
      open[{attempt.id, worker}] = attempts.size() - 1;
    } else if (const auto found = open.find({line.value("end", ""), worker}); found != open.end()) {
      Attempt& attempt = attempts[found->second];
      attempt.state = static_cast<Attempt::State>(std::clamp(line.value("state", 0), 0, 3));
      attempt.seconds = line.value("seconds", 0.0);
      attempt.processor_s = line.value("processor_s", 0.0);
      attempt.peak_memory_bytes = line.value("peak_memory_bytes", std::uint64_t{0});
      attempt.exit_code = line.value("exit_code", 0);
      attempt.error = line.value("error", "");
      open.erase(found);
    }
  }
  return attempts;
}

std::vector<Attempt> read_journals(const fs::path& folder) {
  std::vector<Attempt> all;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (each->path().extension() != ".jsonl") continue;
    const std::vector<Attempt> some = read_journal(each->path());
    all.insert(all.end(), some.begin(), some.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Attempt& a, const Attempt& b) { return a.started_unix_s < b.started_unix_s; });
  return all;
}

}  // namespace wafertlm
