// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/describe/struct_type.h"
#include "tlm/shape/gpu_library.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<GpuLibrary>> gpu_library_type();

}  // namespace wafertlm::config
