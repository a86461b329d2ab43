// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "platform/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// Runs each offered load in a process of its own (one simulation per process), up to `jobs` at a time.
/// `done` is called in the order of `loads`, as soon as a result and all before it are there. Results do not
/// depend on `jobs`.
/// @throws std::invalid_argument (bad input) or std::runtime_error with the first failing load's message.
std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs = 1,
                                     const std::function<void(const TrafficResult&)>& done = nullptr);

}  // namespace wafertlm::traffic
