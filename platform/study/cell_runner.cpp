// SPDX-License-Identifier: Apache-2.0
#include "platform/study/cell_runner.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/command/interrupt.h"
#include "platform/command/progress.h"
#include "platform/config/study_spec.h"
#include "platform/study/read_path.h"

namespace wafertlm {
namespace {

void send_to(const std::string& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (dup2(opened, descriptor) < 0) _exit(127);  // what could not be opened is no descriptor either
}

/// Copies of this program with arguments of their own, each in a process group of its own; ends them when it
/// goes. While it lives, interrupts (SIGINT, SIGTERM, SIGHUP) are an exception of wait().
class Processes {
 public:
  Processes() {
    sigemptyset(&waited_for_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_for_, signal);
    sigprocmask(SIG_BLOCK, &waited_for_, &before_);
  }
  ~Processes() {
    for (const auto& [process, index] : running_) {
      kill(-process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  std::size_t running() const { return running_.size(); }
  /// Output goes to folder/output.txt, errors to folder/errors.txt. @throws std::runtime_error.
  void start(std::size_t index, const std::vector<std::string>& words, const std::string& folder) {
    std::string name = "wafertlm";
    std::vector<std::string> copies = words;
    std::vector<char*> arguments = {name.data()};
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string output = folder + "/output.txt", errors = folder + "/errors.txt";
    std::fflush(nullptr);
    const pid_t parent = getpid(), process = fork();
    if (process < 0) throw std::runtime_error("no child process");
    if (process == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      send_to("/dev/null", STDIN_FILENO);
      send_to(output, STDOUT_FILENO);
      send_to(errors, STDERR_FILENO);
      sigprocmask(SIG_SETMASK, &before_, nullptr);
      execv("/proc/self/exe", arguments.data());
      _exit(127);
    }
    setpgid(process, process);  // also here: the child may not have come so far yet
    running_.emplace_back(process, index);
  }

  struct Ended {
    std::size_t index = 0;
    std::string problem;  ///< "exit code 2"; empty: it succeeded
  };
  /// The next one that ends; none within a second: nothing. @throws Interrupted.
  std::optional<Ended> wait() {
    for (int turn = 0; turn < 2; ++turn) {
      int status = 0;
      for (auto each = running_.begin(); each != running_.end(); ++each) {
        if (waitpid(each->first, &status, WNOHANG) != each->first) continue;
        Ended ended{each->second, ""};
        if (WIFSIGNALED(status))
          ended.problem = fmt::format("ended by signal {}", WTERMSIG(status));
        else if (WEXITSTATUS(status) != 0)
          ended.problem = fmt::format("exit code {}", WEXITSTATUS(status));
        running_.erase(each);
        return ended;
      }
      const timespec second{1, 0};
      const int before = InterruptNotes::signal();
      const int signal = before != 0 ? before : turn == 0 ? sigtimedwait(&waited_for_, nullptr, &second) : -1;
      if (signal > 0 && signal != SIGCHLD)
        throw Interrupted(signal, "ended by " + signal_name(signal) +
                                      "; what is done is kept, the same command goes on from there");
      if (signal < 0) break;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<pid_t, std::size_t>> running_;  // with its index
  sigset_t waited_for_, before_;
};

using nlohmann::json;

namespace fs = std::filesystem;
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
  const auto input = kept.find("input");
  if (input == kept.end() || *input != job.input) return false;
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

namespace {

constexpr std::chrono::milliseconds kOnTerminal{250}, kElsewhere{10'000};

std::string time_left(const Progress::State& state, Clock::time_point started) {
  const double ran = static_cast<double>(state.done - state.recalled),
               all = static_cast<double>(state.all - state.recalled);
  return wafertlm::time_left(std::chrono::duration<double>(Clock::now() - started).count(),
                             all == 0 ? 1 : ran / all);
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), shown_(Clock::now()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const std::string& what, const State& state, Clock::time_point started) {
  if (Clock::now() - shown_ < (terminal_ ? kOnTerminal : kElsewhere)) return;
  shown_ = Clock::now();
  fmt::print(stderr, "{}{}: {} of {} done{}{}, {} running{}{}", terminal_ ? "\r\033[K" : "", what, state.done,
             counted(state.all, "cell"), state.recalled ? fmt::format(" ({} before)", state.recalled) : "",
             state.failed ? fmt::format(", {} failed", state.failed) : "", state.running,
             time_left(state, started), terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace wafertlm
