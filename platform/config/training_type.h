// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/workload_spec.h"

namespace wafertlm::config {

/// "MP(2)-DP(5)-PP(2)".
TypePtr<Parallelism> parallelism_type();

/// Adds the keys of WorkloadKind::training, the first of which tells it from the others.
void add_training_keys(Struct<WorkloadSpec>& workload);

}  // namespace wafertlm::config
