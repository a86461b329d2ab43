// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/results/fields.h"
#include "platform/run/job_run.h"

namespace wafertlm::results {

struct IterationRow {
  const IterationResult& result;
  bool with_ranks;
};

/// Of iterations[], and $defs of its parts.
const Fields<IterationRow>& iteration_fields();
Json rank_schema();
Json breakdown_schema();

}  // namespace wafertlm::results
