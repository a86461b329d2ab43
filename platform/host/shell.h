// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm {

/// What a command of the system answered, errors among the output.
struct Answer {
  int exit_code = 0;  ///< 128 + N: ended by signal N
  std::string text;
};

/// Runs it in the shell and waits for it.
Answer ask_shell(const std::string& command);
/// A word that the shell takes as it is.
std::string shell_quoted(const std::string& word);
/// Where this program is.
std::string own_path();
/// Whether there is such a program in PATH.
bool has_program(const std::string& name);

}  // namespace wafertlm
