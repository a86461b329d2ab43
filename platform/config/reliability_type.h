// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/fabric_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<ReliabilitySpec>> reliability_type();
/// What Go-Back-N needs of a fabric.
void check_reliability(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
