// SPDX-License-Identifier: Apache-2.0
#include "platform/host/shell.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace wafertlm {

Answer ask_shell(const std::string& command) {
  std::fflush(nullptr);
  FILE* const pipe = popen(("{ " + command + "\n} 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for: " + command);
  Answer answer;
  std::array<char, 4096> part{};
  for (std::size_t bytes; (bytes = fread(part.data(), 1, part.size(), pipe)) > 0;)
    answer.text.append(part.data(), bytes);
  const int status = pclose(pipe);
  answer.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return answer;
}

std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char character : word) {
    if (character == '\'')
      text += "'\\''";
    else
      text += character;
  }
  return text + "'";
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace wafertlm
