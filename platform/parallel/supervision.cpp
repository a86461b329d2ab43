// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/supervision.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "platform/host/interrupt.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using std::chrono::steady_clock;

/// How often it is looked who has begun.
constexpr int kLookMs = 20;
/// mpirun asks them to end after a second, and makes them after another one.
constexpr std::chrono::seconds kToEnd{3};

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

/// As a shell has it.
int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::string end_of(int exit_code) {
  return exit_code > 128 ? "ended by " + signal_name(exit_code - 128)
                         : fmt::format("ended with exit code {}", exit_code);
}

}  // namespace

Supervision::Supervision(std::vector<std::string> words, std::uint32_t processes)
    : board_(processes), is_seen_(processes) {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGTSTP, SIGCONT}) sigaddset(&taken_, signal);
  if (!is_ignored(SIGHUP)) sigaddset(&taken_, SIGHUP);  // it is under nohup
  sigprocmask(SIG_BLOCK, &taken_, &before_);
  std::signal(SIGCHLD, SIG_DFL);
  polled_.assign(processes, {-1, POLLIN, 0});
  polled_.push_back({signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0});
  start(std::move(words));
}

Supervision::~Supervision() {
  for (const pollfd& each : polled_)
    if (each.fd >= 0) close(each.fd);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

/// In a process group of its own: a signal for the whole group comes to it once, from here; at a second one
/// it would leave its processes behind.
void Supervision::start(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);  // or it would be printed again
  const pid_t parent = getpid();
  mpirun_ = fork();
  if (mpirun_ < 0) throw std::runtime_error("no child process");
  if (mpirun_ > 0) return;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // not SIGKILL: it has to end its processes
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  execvp(pointers.front(), pointers.data());
  fmt::print(stderr, "wafertlm: {}: {}\n", pointers.front(), std::strerror(errno));
  _exit(127);
}

int Supervision::wait() {
  do {
    const bool all_seen = std::find(is_seen_.begin(), is_seen_.end(), false) == is_seen_.end();
    poll(polled_.data(), polled_.size(), all_seen && !lost_at_ ? -1 : kLookMs);
    note_ended();
    take_signals();
    if (lost_at_ && steady_clock::now() - *lost_at_ > kToEnd) {
      kill_all();
      kill(mpirun_, SIGKILL);
    }
  } while (!has_ended());
  if (WIFEXITED(status_)) {  // else it has left them behind, and nobody was lost before
    poll(polled_.data(), polled_.size(), 0);
    note_ended();
  }
  kill_all();
  return outcome();
}

/// Whoever ends without a word is lost, unless there was a reason before: then mpirun ends all.
void Supervision::note_ended() {
  std::vector<std::uint32_t> lost;
  int signal = 0;
  for (std::uint32_t process = 0; process < board_.size(); ++process) {
    const Shown& row = board_[process];
    if (row.state == Shown::State::absent) continue;
    pollfd& each = polled_[process];
    bool has_ended = each.fd >= 0 && each.revents != 0;
    if (!is_seen_[process]) {
      is_seen_[process] = true;
      each.fd = static_cast<int>(syscall(SYS_pidfd_open, row.pid.load(), 0));
      has_ended = each.fd < 0 && errno == ESRCH;
    }
    if (!has_ended) continue;
    if (each.fd >= 0) close(std::exchange(each.fd, -1));
    if (row.signal != 0)
      signal = row.signal;
    else if (row.state == Shown::State::runs)
      lost.push_back(process);
  }
  if (own_signal_ != 0 || signal_ != 0 || lost_at_) return;
  signal_ = signal;
  if (lost.empty()) return;
  lost_ = lost;
  lost_at_ = steady_clock::now();
}

void Supervision::take_signals() {
  for (signalfd_siginfo taken{}; read(polled_.back().fd, &taken, sizeof taken) == sizeof taken;) {
    const int signal = static_cast<int>(taken.ssi_signo);
    if (signal == SIGCHLD) continue;
    kill(mpirun_, signal);
    if (signal == SIGTSTP)
      raise(SIGSTOP);
    else if (signal != SIGCONT && own_signal_ == 0 && !lost_at_)
      own_signal_ = signal;
  }
}

bool Supervision::has_ended() { return waitpid(mpirun_, &status_, WNOHANG) == mpirun_; }

void Supervision::kill_all() const {
  for (std::uint32_t process = 0; process < board_.size(); ++process)
    if (polled_[process].fd >= 0) syscall(SYS_pidfd_send_signal, polled_[process].fd, SIGKILL, nullptr, 0);
}

/// Who has not begun when mpirun ends has ended all.
std::vector<std::uint32_t> Supervision::lost() const {
  std::vector<std::uint32_t> absent;
  for (std::uint32_t process = 0; process < board_.size(); ++process)
    if (board_[process].state == Shown::State::absent) absent.push_back(process);
  return absent.empty() || absent.size() == board_.size() ? lost_ : absent;
}

int Supervision::outcome() const {
  const int code = exit_code_of(status_);
  if (code == 0) return code;
  for (std::uint32_t process = 0; process < board_.size(); ++process)
    if (board_[process].state == Shown::State::fails) return code;
  const std::string reached = format_time(board_.reached_ps());
  std::string who;
  for (const std::uint32_t process : lost()) who += (who.empty() ? "" : ", ") + board_.name_of(process);
  if (const int signal = own_signal_ != 0 ? own_signal_ : signal_;
      signal != 0 && (who.empty() || own_signal_ != 0))
    throw Interrupted(signal,
                      fmt::format("ended by {} at {} of simulated time", signal_name(signal), reached));
  // mpirun has the exit code of the first process that failed.
  fmt::print(stderr, "wafertlm: {} {}; {} of simulated time had been reached\n", who.empty() ? "mpirun" : who,
             who.empty() && WIFEXITED(status_) ? fmt::format("ended with exit code {}", code) : end_of(code),
             reached);
  return code;
}

}  // namespace wafertlm
