// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/run/job.h"
#include "platform/spec/experiment_spec.h"

namespace wafertlm {

/// What is known of an iteration without simulating it.
struct PredictedIteration {
  TimePs time_ps = 0;     ///< of the last iteration
  TimePs compute_ps = 0;  ///< the most that a unit of a rank computes in an iteration
  TimePs bound_ps = 0;    ///< the longest that a collective takes at least, whatever its algorithm
};

/// The last iteration on a fabric that nothing contends for: the ranks' sequencers, on which each collective
/// takes what is predicted for it alone (from its last entry on), a message its latency and bytes over the
/// slowest link of its route (its send ends without the latency), a computation what the NPU takes, a load or
/// store latency and bytes over the memory's bandwidth. Nothing is simulated but what predictions run
/// (workloads/collectives).
/// @throws std::invalid_argument: streams through I/O controllers and remote memory are not predicted; or as
/// JobRun.
PredictedIteration predict_iteration(const config::ExperimentSpec& experiment, const Job& job);

}  // namespace wafertlm
