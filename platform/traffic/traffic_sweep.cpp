// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/traffic_sweep.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/traffic/traffic_report.h"

namespace wafertlm::traffic {
namespace {

/// What a child has to say, as JSON: a result, or {"bad_input": message} or {"failed": message}.
std::string child_answer(const TrafficSetup& setup, double load) {
  try {
    return to_json(run_traffic(setup, load)).dump();
  } catch (const std::invalid_argument& error) {
    return nlohmann::json{{"bad_input", error.what()}}.dump();
  } catch (const std::exception& error) {
    return nlohmann::json{{"failed", error.what()}}.dump();
  }
}

[[noreturn]] void run_child(const TrafficSetup& setup, double load, int out) {
  const std::string answer = child_answer(setup, load);
  for (std::size_t at = 0; at < answer.size();) {
    const ssize_t written = write(out, answer.data() + at, answer.size() - at);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  _exit(0);
}

struct Child {
  pid_t process;
  int pipe;
  std::size_t point;
  std::string text;
};

Child start_child(const TrafficSetup& setup, double load, std::size_t point) {
  int ends[2];
  if (pipe(ends) != 0) throw RunFailed("cannot make a pipe");
  std::fflush(nullptr);  // or the child would print it again
  const pid_t process = fork();
  if (process < 0) throw RunFailed("cannot start a process for a load point");
  if (process == 0) {
    close(ends[0]);
    run_child(setup, load, ends[1]);
  }
  close(ends[1]);
  return {process, ends[0], point, ""};
}

TrafficResult parse_answer(const Child& child, int status, double load) {
  if (WIFSIGNALED(status))
    throw RunFailed(fmt::format("the run at load {:g} was ended by signal {}", load, WTERMSIG(status)));
  const nlohmann::json answer = nlohmann::json::parse(child.text, nullptr, false);
  if (answer.is_discarded())
    throw RunFailed(fmt::format("the run at load {:g} ended without a result", load));
  if (answer.contains("bad_input")) throw std::invalid_argument(answer["bad_input"].get<std::string>());
  if (answer.contains("failed"))
    throw RunFailed(fmt::format("load {:g}: {}", load, answer["failed"].get<std::string>()));
  return result_from_json(answer);
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

std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs, const std::function<void(const TrafficResult&)>& done) {
  std::vector<std::optional<TrafficResult>> results(loads.size());
  Children children;
  std::size_t started = 0, reported = 0;
  while (reported < loads.size()) {
    while (started < loads.size() && children.size() < std::max(1U, jobs)) {
      children.add(start_child(setup, loads[started], started));
      ++started;
    }
    const auto ended = children.wait();
    if (!ended) continue;
    const auto& [child, status] = *ended;
    results[child.point] = parse_answer(child, status, loads[child.point]);
    for (; reported < loads.size() && results[reported]; ++reported)
      if (done) done(*results[reported]);
  }
  std::vector<TrafficResult> all;
  for (auto& result : results) all.push_back(std::move(*result));
  return all;
}

}  // namespace wafertlm::traffic
