// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// collectives.dimensions
std::shared_ptr<const Struct<ByDimensionSpec>> by_dimension_type();

}  // namespace wafertlm::config
