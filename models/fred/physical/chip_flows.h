// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/flows/flow_paths.h"
#include "models/fred/fred_params.h"
#include "models/fred/physical/stripes.h"

namespace wafertlm {

/// The ways of flows over the chips of a FRED wafer, with the orders in which these add. Switches and ports
/// have the numbers of ChipWiring.
FlowPaths chip_flow_paths(const FredParams& params, const Stripes& stripes, const ChipWiring& wiring);

}  // namespace wafertlm
