// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/parallel/board.h"

namespace wafertlm {

/// The launcher of a run in several processes: starts them with mpirun, passes signals on, and says who has
/// died if they cannot.
class Supervision {
 public:
  /// @param words of mpirun's command line
  Supervision(std::vector<std::string> words, std::uint32_t processes);
  ~Supervision();
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  /// Until all have ended. @return mpirun's exit code. @throws Interrupted: a signal has ended them.
  int wait();

 private:
  void start(std::vector<std::string> words);
  void note_ended();
  void take_signals();
  bool has_ended();
  void kill_all() const;
  std::vector<std::uint32_t> lost() const;
  int outcome() const;

  const Board board_;
  sigset_t taken_{}, before_{};  // signals
  pid_t mpirun_ = -1;
  int status_ = 0;              // mpirun's
  std::vector<pollfd> polled_;  // the processes, then the signals
  std::vector<bool> is_seen_;   // by process: it has begun
  // What came first.
  int own_signal_ = 0;
  int signal_ = 0;  // of a process
  std::vector<std::uint32_t> lost_;
  std::optional<std::chrono::steady_clock::time_point> lost_at_;
};

}  // namespace wafertlm
