// SPDX-License-Identifier: Apache-2.0
#include "platform/command/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "platform/config/config_error.h"

namespace wafertlm {
namespace {

nlohmann::json outcome_of(const std::function<nlohmann::json()>& work) {
  try {
    return {{"result", work()}};
  } catch (const std::invalid_argument& error) {
    return {{"bad_input", error.what()}};
  } catch (const config::ConfigError& error) {
    return {{"bad_input", error.what()}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

[[noreturn]] void answer(int to, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(to, text.data() + done, text.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

}  // namespace

nlohmann::json run_in_child(const std::function<nlohmann::json()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], outcome_of(work).dump());
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the simulation's process died (status " + std::to_string(status) + ")");
  const nlohmann::json outcome = nlohmann::json::parse(text);
  if (outcome.contains("bad_input")) throw std::invalid_argument(outcome["bad_input"].get<std::string>());
  if (outcome.contains("error")) throw std::runtime_error(outcome["error"].get<std::string>());
  return outcome["result"];
}

}  // namespace wafertlm
