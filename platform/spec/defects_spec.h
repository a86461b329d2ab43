// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::config {

/// A link between two neighbours, named by their numbers: "5-6" both directions, "5->6" one.
struct LinkName {
  NpuId from{0}, to{0};
  bool one_way = false;
};

/// Parts that do not work, as the wafer comes out of the fab.
struct DefectsSpec {
  std::vector<NpuId> npus;     ///< their routers pass on
  std::vector<NpuId> routers;  ///< with their NPUs
  std::vector<LinkName> links;
};

}  // namespace wafertlm::config
