// SPDX-License-Identifier: Apache-2.0
#include "platform/host/fst.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace wafertlm {
namespace {

/// Whether the shell would find this program (along PATH).
bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder += '/';
    folder += program;
    if (access(folder.c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Runs another program to its end, without a shell; what it prints is dropped, its errors are shown.
/// @param words the program, found along PATH, and its arguments. @returns whether it ended with exit code 0.
bool run_program(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool is_fst(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".fst") == 0;
}

void require_vcd2fst(const std::string& path) {
  if (!is_installed("vcd2fst"))
    throw std::invalid_argument(
        path + ": an FST file needs vcd2fst, which is not installed; install gtkwave, or write a .vcd file");
}

void vcd_to_fst(const std::string& vcd, const std::string& fst) {
  if (!run_program({"vcd2fst", vcd, fst}))
    throw std::runtime_error("vcd2fst could not make " + fst + " of " + vcd);
}

}  // namespace wafertlm
