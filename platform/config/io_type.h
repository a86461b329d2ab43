// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/wafer_spec.h"

namespace wafertlm::config {

const TypePtr<Side>& side_type();
/// wafer.io; where controllers may be depends on the fabric (FabricKind::check_wafer).
std::shared_ptr<const Struct<IoSpec>> io_type();

}  // namespace wafertlm::config
