// SPDX-License-Identifier: Apache-2.0
#include "platform/host/child.h"

#include <fmt/core.h>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/text/config_error.h"

namespace wafertlm {
namespace {

using nlohmann::json;

template <typename Work>
json outcome_of(const Work& work) {
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
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(to, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

struct Child {
  pid_t process;
  int pipe;
  std::size_t index;
  std::string text;
};

template <typename Work>
Child start(std::size_t index, const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
  std::fflush(nullptr);  // or the child would print it again
  const pid_t parent = getpid(), process = fork();
  if (process < 0) throw std::runtime_error("no child process");
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with its parent, however that ends
    if (getppid() != parent) _exit(1);
    close(ends[0]);
    answer(ends[1], outcome_of(work).dump());
  }
  close(ends[1]);
  return {process, ends[0], index, ""};
}

/// What an ended child said.
json result_of(const Child& child, int status) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("the simulation's process died (status {})", status));
  json outcome = json::parse(child.text);
  if (outcome.contains("bad_input")) throw std::invalid_argument(outcome["bad_input"].get<std::string>());
  if (outcome.contains("error")) throw std::runtime_error(outcome["error"].get<std::string>());
  return std::move(outcome["result"]);
}

/// The children that run now; ends them when a failure leaves early.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const Child& child : running_) {
      kill(child.process, SIGKILL);
      close(child.pipe);
      waitpid(child.process, nullptr, 0);
    }
  }
  std::size_t size() const { return running_.size(); }
  void add(Child child) { running_.push_back(std::move(child)); }

  /// Reads what there is; returns a child that has ended, with its status.
  std::optional<std::pair<Child, int>> wait() {
    std::vector<pollfd> pipes;
    for (const Child& child : running_) pipes.push_back({child.pipe, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), -1) < 0) return std::nullopt;  // interrupted
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents == 0) continue;
      char text[4096];
      const ssize_t bytes = read(running_[i].pipe, text, sizeof text);
      if (bytes > 0) running_[i].text.append(text, static_cast<std::size_t>(bytes));
      if (bytes > 0 || (bytes < 0 && errno == EINTR)) continue;
      Child ended = std::move(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      close(ended.pipe);
      int status = 0;
      while (waitpid(ended.process, &status, 0) < 0 && errno == EINTR) {
      }
      return std::pair{std::move(ended), status};
    }
    return std::nullopt;
  }

 private:
  std::vector<Child> running_;
};

}  // namespace

void run_in_children(std::size_t count, unsigned jobs, const std::function<json(std::size_t)>& work,
                     const std::function<void(std::size_t, const json&)>& done) {
  std::vector<std::optional<json>> results(count);
  Children children;
  std::size_t started = 0, reported = 0;
  while (reported < count) {
    for (; started < count && children.size() < std::max(1U, jobs); ++started)
      children.add(start(started, [&] { return work(started); }));
    const auto ended = children.wait();
    if (!ended) continue;
    results[ended->first.index] = result_of(ended->first, ended->second);
    for (; reported < count && results[reported]; ++reported) {
      done(reported, *results[reported]);
      results[reported]->clear();
    }
  }
}

json run_in_child(const std::function<json()>& work) {
  json result;
  run_in_children(
      1, 1, [&](std::size_t) { return work(); }, [&](std::size_t, const json& of) { result = of; });
  return result;
}

}  // namespace wafertlm
