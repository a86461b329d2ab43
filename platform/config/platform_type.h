// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys of a platform file.
std::shared_ptr<const Struct<PlatformSpec>> platform_type();

}  // namespace wafertlm::config
