// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "tlm/fabric/wire_format.h"
#include "tlm/fabric_graph.h"
#include "tlm/units.h"

namespace wafertlm {

struct GraphParams {
  std::shared_ptr<const FabricGraph> graph;
  TimePs credit_delay_ps = 0;
  WireFormat format;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
};

}  // namespace wafertlm
