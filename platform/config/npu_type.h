// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/config/npu_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<NpuSpec>> npu_type();

/// Of an endpoint without Go-Back-N.
EndpointParams endpoint_params(const NpuSpec& npu);

}  // namespace wafertlm::config
