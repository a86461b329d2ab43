// SPDX-License-Identifier: Apache-2.0
#include "tests/support/running_tool.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

namespace fs = std::filesystem;

bool becomes_true(const std::function<bool()>& condition, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

RunningTool::RunningTool(const std::vector<std::string>& arguments, const std::string& folder)
    : folder_(folder) {
  std::vector<std::string> words = {tool_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  const std::string out = folder + "/tool.out", errors = folder + "/tool.errors";
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ != 0) return;
  const int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666),
            errors_to = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(to, STDOUT_FILENO);
  dup2(errors_to, STDERR_FILENO);
  execv(list[0], list.data());
  _exit(127);
}

RunningTool::~RunningTool() {
  if (has_ended_) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void RunningTool::send(int signal) const { kill(process_, signal); }

bool RunningTool::ends_within(double seconds) {
  return becomes_true(
      [this] {
        if (!has_ended_) has_ended_ = waitpid(process_, &status_, WNOHANG) == process_;
        return has_ended_;
      },
      seconds);
}

int RunningTool::exit_code() {
  if (!ends_within(120)) throw std::runtime_error("the tool does not end");
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string RunningTool::errors() const { return read_text(folder_ + "/tool.errors"); }

bool appears(const std::string& path, double seconds) {
  return becomes_true([&] { return fs::exists(path); }, seconds);
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    const bool is_process =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_process && read_text(entry.path().string() + "/cmdline").find(text) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace wafertlm::test
