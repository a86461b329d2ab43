// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "models/dimensional/dimensional_topology.h"
#include "tlm/shape/fabric_traits.h"

namespace wafertlm::test {

inline FabricTraits fabric_of(const std::vector<FabricDimension>& dimensions) {
  DimensionalParams params;
  params.dimensions = Dimensions(dimensions);
  FabricTraits fabric;
  fabric.topology = std::make_shared<DimensionalTopology>(params);
  return fabric;
}

}  // namespace wafertlm::test
