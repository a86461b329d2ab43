// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/compute_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys below npu.compute.
std::shared_ptr<const Struct<ComputeSpec>> compute_type();

}  // namespace wafertlm::config
