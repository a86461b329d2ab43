// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/wafer_spec.h"

namespace wafertlm::config {

/// Width, height, and the links and routers that have failed.
void check_mesh_grid(const WaferSpec& wafer, const Check& check);
/// Controllers are on free sides of NPUs at the edge.
void check_mesh_io(const WaferSpec& wafer, const Check& check);

}  // namespace wafertlm::config
