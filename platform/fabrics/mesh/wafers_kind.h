// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/fabric_kind.h"

namespace wafertlm {

/// What meshes need to be connected to others (wafer.outer).
void check_several_wafers(const config::WaferSpec& wafer, const config::Check& check);
/// Several meshes, connected through their I/O controllers: one graph.
const FabricKind& wafers_kind();

}  // namespace wafertlm
