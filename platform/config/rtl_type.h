// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/fabric_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<RtlSpec>> rtl_type();
/// Rules between `rtl` and the rest of the fabric. Names of switches and designs are checked when the wafer
/// is made.
void check_rtl(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
