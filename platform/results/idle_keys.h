// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/machine/measurements.h"
#include "platform/run/iteration_work.h"
#include "platform/run/job.h"
#include "platform/spec/experiment_spec.h"

namespace wafertlm::results {

/// Keys of the platform that are not as by default and that nothing in this run has looked at, a line for
/// each reason: "npu.hbm.latency, npu.hbm.read_bandwidth change nothing here: …".
std::vector<std::string> idle_keys(const config::ExperimentSpec& experiment, const Job& job,
                                   const Measurements& measured, const IterationWork& work);

}  // namespace wafertlm::results
