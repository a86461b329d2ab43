// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "platform/run/job_run.h"

namespace wafertlm {

/// Simulates an experiment, in a kernel of its own, with one NPU in place of all where they do the same, and
/// returns its last iteration. `progress`: of JobRun::run(); what it throws is no std::runtime_error. @throws
/// as JobRun
IterationResult simulated_last_iteration(const config::ExperimentSpec& experiment,
                                         const std::function<void()>& progress = {});

}  // namespace wafertlm
