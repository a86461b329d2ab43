// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/bench.h"
#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

/// How the branches of in-network flows are written into the configuration table of a design (CONFIGURATION
/// of wafertlm_add_rtl); none if it has no table. @throws std::invalid_argument: nothing of that name.
RtlConfiguration rtl_configuration(const RtlDesign& design);
/// What flows and settings such a design takes, for random ones.
RtlFlowRules rtl_flow_rules(const RtlDesign& design);

}  // namespace wafertlm
