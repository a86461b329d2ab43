// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "tlm/fabric/fabric_params.h"
#include "tlm/shape/fabric_graph.h"

namespace wafertlm::star {

/// NPUs around one switch.
struct StarParams : FabricParams {
  std::uint32_t npus = 0;
  std::uint64_t link_bytes_per_s = 0;  ///< between an NPU and the switch, each direction
  TimePs pipeline_ps = 1'000;          ///< of the switch
};

/// Vertex npus is the switch. Links: from it to NPU 0, 1, …, then from NPU 0, 1, … to it.
std::shared_ptr<const FabricGraph> star_graph(const StarParams& star);

}  // namespace wafertlm::star
