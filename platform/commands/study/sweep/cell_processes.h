// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/study/sweep/sweep_plan.h"

namespace wafertlm {

/// Runs of the program with arguments of their own, each in a process group of its own and within limits;
/// ends them when it goes. While it lives, interrupts (SIGINT, SIGTERM, SIGHUP) are an exception of wait().
class CellProcesses {
 public:
  /// @param program what to run, as for execv
  CellProcesses(std::string program, const CellLimits& limits);
  ~CellProcesses();
  CellProcesses(const CellProcesses&) = delete;
  CellProcesses& operator=(const CellProcesses&) = delete;

  std::size_t running() const { return running_.size(); }
  /// Output goes to folder/output.txt, errors to folder/errors.txt. @throws std::runtime_error.
  void start(std::size_t index, const std::vector<std::string>& words, const std::string& folder);

  struct Ended {
    std::size_t index = 0;
    int exit_code = 0;     ///< 128 + N: ended by signal N
    std::string problem;   ///< "exit code 2"; empty: it succeeded
    bool is_late = false;  ///< it took more time than it may
    double seconds = 0;
    rusage usage{};
  };
  /// The next one that ends; none for a fifth of a second: nothing. @throws Interrupted.
  std::optional<Ended> wait();

 private:
  using Clock = std::chrono::steady_clock;
  struct Process {
    pid_t id;
    std::size_t index;
    Clock::time_point started;
    bool is_late = false;
  };
  [[noreturn]] void become(const std::vector<std::string>& words, const std::string& folder,
                           pid_t parent) const;
  std::optional<Ended> take_ended();
  void end_late_ones();

  std::string program_;
  CellLimits limits_;
  std::vector<Process> running_;
  sigset_t waited_for_{}, before_{};
};

}  // namespace wafertlm
