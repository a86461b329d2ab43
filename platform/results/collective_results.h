// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/results/fields.h"
#include "platform/run/job_run.h"

namespace wafertlm::results {

/// Of collectives[].
const Fields<CollectiveRecord>& collective_fields();
/// All of a job, or of very many the worst.
Json collectives_json(const JobRun& job);

struct CriticalPathRow {
  const JobRun& job;
  CriticalPath path;
};
/// Of `critical_path`.
const Fields<CriticalPathRow>& critical_path_fields();

}  // namespace wafertlm::results
