// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/timeline.h"

#include <algorithm>
#include <map>

namespace wafertlm::backends {
namespace {

/// When each of a rank's resources is free.
class RankClock {
 public:
  explicit RankClock(const std::vector<Backend>& backends) : backends_(backends) {}

  void run(const Action& action, TimelineResult& result) {
    switch (action.kind) {
      case Action::Kind::compute:
        compute(action, result);
        return;
      case Action::Kind::communicate:
        communicate(action, result);
        return;
      case Action::Kind::wait:
        wait(result);
        return;
    }
  }

  TimePs end() const { return std::max({host_, compute_, open_, open_on_host_}); }

 private:
  void compute(const Action& action, TimelineResult& result) {
    const TimePs start = std::max(host_, compute_);
    compute_ = start + action.time_ps;
    result.compute_ps += action.time_ps;
    result.start_ps.push_back(start);
    result.end_ps.push_back(compute_);
  }

  void communicate(const Action& action, TimelineResult& result) {
    const Backend& backend = backends_.at(action.backend);
    const bool by_host = backend.progress == Progress::host;
    TimePs& engine = engines_[backend.engine_name()];
    TimePs ready = std::max(host_, compute_);
    if (by_host) {
      ready += backend.barrier_ps;
      host_ = ready;
    }
    const TimePs start = std::max(ready, engine) + action.change_ps, end = start + action.time_ps;
    engine = end;
    if (action.call == Action::Call::asynchronous) {
      open_ = std::max(open_, end);
      if (by_host) open_on_host_ = std::max(open_on_host_, end);
    } else {
      compute_ = std::max(compute_, end);
      if (by_host || action.call == Action::Call::blocking) host_ = end;
    }
    result.start_ps.push_back(start);
    result.end_ps.push_back(end);
  }

  void wait(TimelineResult& result) {
    result.start_ps.push_back(host_);
    compute_ = std::max(compute_, open_);
    host_ = std::max(host_, open_on_host_);
    result.end_ps.push_back(host_);
  }

  const std::vector<Backend>& backends_;
  std::map<std::string, TimePs> engines_;
  TimePs host_ = 0, compute_ = 0;
  TimePs open_ = 0, open_on_host_ = 0;  // ends of the asynchronous operations so far
};

}  // namespace

TimelineResult run_timeline(const std::vector<Action>& actions, const std::vector<Backend>& backends) {
  TimelineResult result;
  RankClock clock(backends);
  for (const Action& action : actions) clock.run(action, result);
  result.time_ps = clock.end();
  return result;
}

}  // namespace wafertlm::backends
