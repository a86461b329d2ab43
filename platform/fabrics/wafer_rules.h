// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

// Rules between a fabric and the wafer's other keys, of which each kind takes what it needs.

/// `wafer.width` and `wafer.height` are of a mesh.
void require_no_grid(const WaferSpec& wafer, const Check& check);
void require_no_io(const WaferSpec& wafer, const Check& check);
/// No `wafer.outer`.
void require_one_wafer(const WaferSpec& wafer, const Check& check);

}  // namespace wafertlm::config
