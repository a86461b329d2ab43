// SPDX-License-Identifier: Apache-2.0
#include "platform/study/processes.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace wafertlm {
namespace {

void send_to(const std::string& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
}

}  // namespace

Processes::Processes() {
  sigemptyset(&waited_for_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_for_, signal);
  sigprocmask(SIG_BLOCK, &waited_for_, &before_);
}

Processes::~Processes() {
  for (const auto& [process, index] : running_) {
    kill(-process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Processes::start(std::size_t index, const std::vector<std::string>& words, const std::string& folder) {
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

std::optional<Processes::Ended> Processes::wait() {
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
    const int signal = turn == 0 ? sigtimedwait(&waited_for_, nullptr, &second) : -1;
    if (signal > 0 && signal != SIGCHLD)
      throw std::runtime_error("interrupted; what is done is kept, the same command goes on from there");
    if (signal < 0) break;
  }
  return std::nullopt;
}

}  // namespace wafertlm
