// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/fabric_kind.h"

namespace wafertlm {

/// What FRED wafers need to be connected to others (wafer.outer).
void check_several_freds(const config::WaferSpec& wafer, const config::Check& check);
/// Several FRED wafers as one graph: whole switches without reduction, packets up to the first common switch
/// and down again, collectives along L1 groups, L1 switches, L2 switches and wafers.
const FabricKind& several_freds();

}  // namespace wafertlm
