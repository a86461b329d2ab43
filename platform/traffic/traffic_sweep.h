// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <stdexcept>
#include <vector>

#include "platform/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// A load point failed as a run, not because of its input.
class RunFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs each offered load in a child process (one simulation per process), up to `jobs` at a time. `done` is
/// called in the order of `loads`, as soon as a result and all before it are there. Results do not depend on
/// `jobs`.
/// @throws std::invalid_argument (bad input) or RunFailed with the first failing child's message.
std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs = 1,
                                     const std::function<void(const TrafficResult&)>& done = nullptr);

}  // namespace wafertlm::traffic
