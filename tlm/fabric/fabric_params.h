// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"
#include "tlm/link/switch_params.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// What all kinds of fabrics have. The parameters of a kind begin with it.
struct FabricParams {
  WireFormat format;
  TimePs link_latency_ps = 20'000;  ///< of a hop; some kinds have a latency for each link instead
  TimePs credit_delay_ps = 20'000;
  InputQueue input_queue = InputQueue::per_output;
  TimePs input_start_ps = 0;       ///< as SwitchParams; not of all kinds
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
};

}  // namespace wafertlm
