// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "platform/machine/machine.h"
#include "platform/run/job_run.h"

namespace wafertlm::results {

/// Half-widths at 95 % of an iteration's figures, picoseconds.
struct IterationHalfWidths {
  double time_ps = 0;
  std::map<std::string, double> breakdown_ps;  ///< by category; none: 0
};

/// Of a sampled run, by iteration; empty if nothing was played. What a rank waits for may be another one's,
/// so each figure has the widest of all ranks; where that rank idles, others are on the way, and those are
/// taken to be as uncertain as it is for the rest of its time.
std::vector<IterationHalfWidths> half_widths(const Machine& machine, const Placement& npus,
                                             const std::vector<IterationResult>& iterations);

}  // namespace wafertlm::results
