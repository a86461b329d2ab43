// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/platform_spec.h"
#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

/// FabricTraits::idle_ps of a platform: builds a second one in a SimulationContext and runs the collective on
/// it, without faults, bit errors, RTL, checkers, values and launch costs. Empty for more than kMaxIdleNpus
/// NPUs, which take longer to build than their prediction is worth.
IdleTime idle_time(const config::PlatformSpec& spec);

constexpr std::uint32_t kMaxIdleNpus = 256;

}  // namespace wafertlm
