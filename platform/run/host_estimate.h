// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/run/job.h"
#include "platform/run/job_work.h"

namespace wafertlm {

/// What a run will take of the machine that simulates. Measured sizes are within a factor of 3 of it, and
/// times where the fabric is what is simulated: memory models (npu.compute.operands: hbm, level: command),
/// checkers and functional mode take time on top. Contents of remote memory (engine.functional) come on top
/// of both.
struct HostEstimate {
  double seconds = 0;
  std::uint64_t bytes = 0;

  /// "about 61 s and 2.6 GB".
  std::string text() const;
};

/// Before anything is built: only the memory. Of a run, or of a platform that collectives or packets are sent
/// over. `one_for_all`: one NPU is simulated (Places).
std::uint64_t estimated_bytes(const config::ExperimentSpec& experiment, const Job& job,
                              bool one_for_all = false);
std::uint64_t estimated_bytes(const config::PlatformSpec& platform);
HostEstimate host_estimate(const config::ExperimentSpec& experiment, const Job& job, const JobWork& work,
                           bool accelerated = true, bool one_for_all = false);

/// @throws std::invalid_argument: more than is available, with what would make it less.
void require_host_memory(const config::ExperimentSpec& experiment, std::uint64_t bytes,
                         std::uint64_t available_bytes);
/// The same for a platform of which so many are simulated side by side. Warns on stderr of more than 80 % of
/// what is available; `force`: of more than that, too, in place of an error.
void require_host_memory(const config::PlatformSpec& platform, std::uint64_t side_by_side, bool force);
/// A line if it is more than 10 minutes or 80 % of what is available, with what would make it less; else "".
std::string host_warning(const config::ExperimentSpec& experiment, const HostEstimate& estimate,
                         std::uint64_t available_bytes);

}  // namespace wafertlm
