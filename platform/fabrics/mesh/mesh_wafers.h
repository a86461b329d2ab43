// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/fabric_kind.h"

namespace wafertlm {

/// What meshes need to be connected to others (wafer.outer).
void check_several_meshes(const config::WaferSpec& wafer, const config::Check& check);
/// Several meshes as one graph: X-Y routes, collectives along columns, rows and wafers.
const FabricKind& several_meshes();

}  // namespace wafertlm
