// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/fabric_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys that all fabrics have, and those of each kind.
std::shared_ptr<const Struct<FabricSpec>> fabric_type();

}  // namespace wafertlm::config
