// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "models/fred/physical/chip_wiring.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys of `dead`.
std::shared_ptr<const Struct<DeadChips>> dead_chips_type();

/// The rules of the physical view of a FRED wafer.
void check_fred_chips(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
