// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace wafertlm {

/// A signal asked the command to end; the tool's exit code is 128 + signal, as a shell has it.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& message) : std::runtime_error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// While one lives, the first SIGINT, SIGTERM or SIGHUP is only noted; a second one ends the program at once.
class InterruptNotes {
 public:
  InterruptNotes();
  ~InterruptNotes();
  InterruptNotes(const InterruptNotes&) = delete;
  InterruptNotes& operator=(const InterruptNotes&) = delete;

  /// The noted signal; 0: none.
  static int signal();
};

/// "SIGINT"
std::string signal_name(int signal);

}  // namespace wafertlm
