// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/run/job_run.h"

namespace wafertlm {

/// The certificates of the bounds of a job's collectives, which took longest first, at most kMostDrawn, one
/// for each type and group: [{title, bytes, tight}], `tight` as in `collective --explain-bound --json`. Empty
/// where the fabric does not say its links.
nlohmann::ordered_json tight_bounds_json(const JobRun& job, const FabricTraits& fabric);

}  // namespace wafertlm
