// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<DeadChipsSpec>> dead_chips_type();

/// The rules of the physical view of a FRED wafer.
void check_fred_chips(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
