// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "platform/commands/study/sweep/engine.h"
#include "platform/host/interrupt.h"
#include "platform/host/shell.h"
#include "platform/parallel/launch.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kLook{50};
constexpr std::chrono::seconds kToEnd{5};

/// The program of managers and workers is built where there is MPI, beside this one.
fs::path mpi_program() { return fs::path(own_path()).parent_path() / "wafertlm_mpi"; }

/// Oversubscribed, because the manager sleeps; not bound to cores, because a worker's cells are processes of
/// their own.
constexpr const char* kLauncher = "mpirun --oversubscribe --bind-to none -n {ranks}";

std::string launcher_of(const SweepOptions& options) {
  std::string command = options.launcher.empty() ? kLauncher : options.launcher;
  const std::string ranks = "{ranks}";
  if (const std::size_t at = command.find(ranks); at != std::string::npos)
    command.replace(at, ranks.size(), std::to_string(cells_at_a_time(options) + 1));
  return command;
}

/// The launcher, in a process group of its own; ended when this goes.
class Launch {
 public:
  Launch(const std::string& command, const fs::path& output) {
    const std::string whole = "exec " + command + " >" + shell_quoted(output.string()) + " 2>&1 </dev/null";
    std::fflush(nullptr);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("no child process");
    if (process_ > 0) return;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // not SIGKILL: it has to end its workers
    if (getppid() != parent) _exit(127);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    allow_mpi_as_root();
    execl("/bin/sh", "sh", "-c", whole.c_str(), nullptr);
    _exit(127);
  }
  ~Launch() {
    if (has_ended()) return;
    kill(process_, SIGTERM);
    for (auto until = std::chrono::steady_clock::now() + kToEnd; std::chrono::steady_clock::now() < until;) {
      if (has_ended()) return;
      std::this_thread::sleep_for(kLook);
    }
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  bool has_ended() { return ended_ = ended_ || waitpid(process_, &status_, WNOHANG) == process_; }

 private:
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// The last lines of what the launcher said.
std::string end_of(const fs::path& file) {
  std::string text = text_of(file);
  constexpr std::size_t kMost = 2000;
  return text.size() > kMost ? text.substr(text.size() - kMost) : text;
}

}  // namespace

void require_mpi(const SweepOptions& options) {
  if (access(mpi_program().c_str(), X_OK) != 0)
    throw std::invalid_argument(fmt::format(
        "--engine mpi: there is no {}; install libopenmpi-dev and build again", mpi_program().string()));
  const std::string command = launcher_of(options), first = command.substr(0, command.find(' '));
  if (first.find('/') == std::string::npos && !has_program(first))
    throw std::invalid_argument(fmt::format(
        "--engine mpi: there is no {} in PATH; install openmpi-bin, or name another with --launcher", first));
}

/// A rank that dies takes the others with it; then workers are started again for what is left.
void run_on_mpi(const Sweep& sweep) {
  const fs::path output = sweep.files().sweep() / "mpi.txt";
  Patience patience(sweep);
  while (true) {
    const SweepPlan round = sweep.next_round();
    if (round.cells.empty()) return;
    const fs::path plan = sweep.plan_file(round);
    write_plan(plan, round);
    {
      Launch launch(
          fmt::format("{} {} {} {} {}", launcher_of(sweep.options()), shell_quoted(mpi_program().string()),
                      shell_quoted(round.program), shell_quoted(plan.string()), round.cells.size()),
          output);
      while (!launch.has_ended()) {
        if (const int signal = InterruptNotes::signal(); signal != 0)
          throw Interrupted(signal, "ended by " + signal_name(signal) +
                                        "; what is done is kept, the same command goes on from there");
        sweep.show(0);
        std::this_thread::sleep_for(kLook);
      }
    }
    if (sweep.is_over()) return;
    patience.require_progress("the MPI workers, which said: " + end_of(output));
  }
}

}  // namespace wafertlm
