// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/workload_spec.h"

namespace wafertlm::config {

/// The keys of a workload file and of an inline workload (which needs no name).
std::shared_ptr<const Struct<WorkloadSpec>> workload_type();
std::shared_ptr<const Struct<WorkloadSpec>> inline_workload_type();

}  // namespace wafertlm::config
