// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/wafer_spec.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<WaferSpec>> wafer_type();

}  // namespace wafertlm::config
