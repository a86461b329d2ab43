// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace wafertlm::test {

/// The wafertlm executable while it runs; killed at the end if need be.
class RunningTool {
 public:
  /// Output and errors go to files in `folder`. @param arguments without the name of the program
  RunningTool(const std::vector<std::string>& arguments, const std::string& folder);
  ~RunningTool();
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;

  void send(int signal) const;
  /// Whether it has ended within a time.
  bool ends_within(double seconds);
  /// Waits for its end. Its exit code; 128 + signal if one killed it, as in a shell.
  int exit_code();
  std::string errors() const;

 private:
  std::string folder_;
  pid_t process_;
  int status_ = 0;
  bool has_ended_ = false;
};

/// Waits for a file to be there.
bool appears(const std::string& path, double seconds = 20);

/// Processes whose command line has this text.
std::vector<pid_t> processes_with(const std::string& text);

}  // namespace wafertlm::test
