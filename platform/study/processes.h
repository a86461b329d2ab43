// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm {

/// Copies of this program with arguments of their own, each in a process group of its own; ends them when it
/// goes. While it lives, interrupts (SIGINT, SIGTERM, SIGHUP) are an exception of wait().
class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  std::size_t running() const { return running_.size(); }
  /// Output goes to folder/output.txt, errors to folder/errors.txt. @throws std::runtime_error.
  void start(std::size_t index, const std::vector<std::string>& words, const std::string& folder);

  struct Ended {
    std::size_t index = 0;
    std::string problem;  ///< "exit code 2"; empty: it succeeded
  };
  /// The next one that ends; none within a second: nothing. @throws std::runtime_error: interrupted.
  std::optional<Ended> wait();

 private:
  std::vector<std::pair<pid_t, std::size_t>> running_;  // with its index
  sigset_t waited_for_, before_;
};

}  // namespace wafertlm
