// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/run/job.h"
#include "platform/run/job_work.h"

namespace wafertlm {

/// What a run will take of the machine that simulates. Measured times and sizes are within a factor of 3 of
/// it where the fabric is what is simulated; memory models (npu.compute.operands: hbm, level: command),
/// checkers and functional mode come on top.
struct HostEstimate {
  double seconds = 0;
  std::uint64_t bytes = 0;

  /// "about 61 s and 2.6 GB".
  std::string text() const;
};

/// Before anything is built: only the memory.
std::uint64_t estimated_bytes(const config::PlatformSpec& platform, const Job& job);
HostEstimate host_estimate(const config::ExperimentSpec& experiment, const Job& job, const JobWork& work);

/// @throws std::invalid_argument: more than is available, with what would make it less.
void require_host_memory(const config::ExperimentSpec& experiment, std::uint64_t bytes,
                         std::uint64_t available_bytes);
/// A line if it is more than 10 minutes or 80 % of what is available, with what would make it less; else "".
std::string host_warning(const config::ExperimentSpec& experiment, const HostEstimate& estimate,
                         std::uint64_t available_bytes);

}  // namespace wafertlm
