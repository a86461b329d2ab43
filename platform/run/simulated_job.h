// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "platform/run/run_observer.h"
#include "platform/spec/platform_spec.h"
#include "workloads/chakra/node.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// What a job that was made in memory took.
struct SimulatedJob {
  TimePs end_ps = 0;
  std::uint64_t wire_bytes = 0;  ///< over all links between switches and, where it is a wire, from the NPUs
  double link_energy_j = 0;      ///< of these bytes; 0 without wafer.fabric.energy_per_bit
};

/// Runs the nodes of every rank once, in a kernel of its own: any number of times in a process. Durations are
/// those of the nodes. Traffic classes that nodes do not name are those of chakra (messages: pp).
/// @throws chakra::TraceError, std::invalid_argument, std::runtime_error as JobRun
SimulatedJob simulate_job(const config::PlatformSpec& platform, const Placement& npus,
                          std::vector<std::vector<chakra::Node>> ranks, RunObserver* observer = nullptr);

}  // namespace wafertlm
