// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "models/rtl/axi4/stress/memory_stress.h"

namespace wafertlm {

/// `wafertlm rtl stress` of a design with an AXI4 port.
/// @throws std::runtime_error: a rule was broken
int run_axi4_stress(const RtlDesign& design, const Axi4StressOptions& options, bool json);
nlohmann::ordered_json axi4_stress_schema();

}  // namespace wafertlm
