// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys of a platform file.
std::shared_ptr<const Struct<PlatformSpec>> platform_type();
std::shared_ptr<const Struct<FabricSpec>> fabric_type();
std::shared_ptr<const Struct<IoSpec>> io_type();
void check_io(const WaferSpec& wafer, const Check& check);
void check_wafer(const WaferSpec& wafer, const Check& check);

}  // namespace wafertlm::config
