// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/cell_processes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "platform/host/interrupt.h"
#include "platform/parallel/launch.h"

namespace wafertlm {
namespace {

/// By the clock a cell may take so many times its limit of processor time, and no less than a minute: it may
/// have to wait for a core.
constexpr std::uint32_t kClockFactor = 10;
constexpr std::chrono::seconds kLeastByTheClock{60};

void send_to(const std::string& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (dup2(opened, descriptor) < 0) _exit(127);  // what could not be opened is no descriptor either
}

void limit(__rlimit_resource what, rlim_t soft, rlim_t hard) {
  rlimit now{};
  getrlimit(what, &now);
  if (now.rlim_max != RLIM_INFINITY && hard > now.rlim_max) hard = now.rlim_max;
  const rlimit wanted{soft < hard ? soft : hard, hard};
  if (setrlimit(what, &wanted) != 0) _exit(127);
}

}  // namespace

CellProcesses::CellProcesses(std::string program, const CellLimits& limits)
    : program_(std::move(program)), limits_(limits) {
  sigemptyset(&waited_for_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_for_, signal);
  sigprocmask(SIG_BLOCK, &waited_for_, &before_);
}

CellProcesses::~CellProcesses() {
  for (const Process& process : running_) {
    kill(-process.id, SIGKILL);
    waitpid(process.id, nullptr, 0);
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void CellProcesses::become(const std::vector<std::string>& words, const std::string& folder,
                           pid_t parent) const {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  std::string name = "wafertlm";
  std::vector<std::string> copies = words;
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  send_to("/dev/null", STDIN_FILENO);
  send_to(folder + "/output.txt", STDOUT_FILENO);
  send_to(folder + "/errors.txt", STDERR_FILENO);
  limit(RLIMIT_CORE, 0, 0);
  if (limits_.memory_bytes > 0) limit(RLIMIT_AS, limits_.memory_bytes, limits_.memory_bytes);
  if (limits_.processor_s > 0) limit(RLIMIT_CPU, limits_.processor_s, limits_.processor_s + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  forget_launcher();  // of the workers
  execv(program_.c_str(), arguments.data());
  _exit(127);
}

void CellProcesses::start(std::size_t index, const std::vector<std::string>& words,
                          const std::string& folder) {
  std::fflush(nullptr);
  const pid_t parent = getpid(), process = fork();
  if (process < 0) throw std::runtime_error("no child process");
  if (process == 0) become(words, folder, parent);
  setpgid(process, process);  // also here: the child may not have come so far yet
  running_.push_back({process, index, Clock::now()});
}

std::optional<CellProcesses::Ended> CellProcesses::take_ended() {
  for (auto each = running_.begin(); each != running_.end(); ++each) {
    int status = 0;
    Ended ended;
    if (wait4(each->id, &status, WNOHANG, &ended.usage) != each->id) continue;
    ended.index = each->index;
    ended.seconds = std::chrono::duration<double>(Clock::now() - each->started).count();
    const bool by_signal = WIFSIGNALED(status);
    ended.exit_code = by_signal ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    const double processor_s = static_cast<double>(ended.usage.ru_utime.tv_sec + ended.usage.ru_stime.tv_sec);
    ended.is_late = each->is_late || (by_signal && limits_.processor_s > 0 &&
                                      (WTERMSIG(status) == SIGXCPU || processor_s >= limits_.processor_s));
    if (by_signal)
      ended.problem = fmt::format("ended by signal {}", WTERMSIG(status));
    else if (ended.exit_code != 0)
      ended.problem = fmt::format("exit code {}", ended.exit_code);
    running_.erase(each);
    return ended;
  }
  return std::nullopt;
}

void CellProcesses::end_late_ones() {
  if (limits_.processor_s == 0) return;
  const auto most =
      std::max(kLeastByTheClock, std::chrono::seconds(std::uint64_t{kClockFactor} * limits_.processor_s));
  for (Process& process : running_)
    if (!process.is_late && Clock::now() - process.started > most) {
      process.is_late = true;
      kill(-process.id, SIGKILL);
    }
}

std::optional<CellProcesses::Ended> CellProcesses::wait() {
  for (int turn = 0; turn < 2; ++turn) {
    if (auto ended = take_ended()) return ended;
    end_late_ones();
    const timespec a_while{0, 200'000'000};
    const int before = InterruptNotes::signal();
    const int signal = before != 0 ? before : turn == 0 ? sigtimedwait(&waited_for_, nullptr, &a_while) : -1;
    if (signal > 0 && signal != SIGCHLD)
      throw Interrupted(signal, "ended by " + signal_name(signal) +
                                    "; what is done is kept, the same command goes on from there");
    if (signal < 0) break;
  }
  return std::nullopt;
}

}  // namespace wafertlm
