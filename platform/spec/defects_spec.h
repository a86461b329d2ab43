// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "platform/defects/defect_model.h"
#include "tlm/kernel/units.h"

namespace wafertlm::config {

/// A link between two neighbours, named by their numbers: "5-6" both directions, "5->6" one.
struct LinkName {
  NpuId from{0}, to{0};
  bool one_way = false;
};

/// Parts that do not work of wafer number `wafer`, as `wafertlm yield` draws them.
struct DrawnDefects {
  wafer_yield::YieldSpec yield;
  std::uint64_t wafer = 0;
};

/// Parts that do not work, as the wafer comes out of the fab.
struct DefectsSpec {
  std::vector<NpuId> npus;     ///< their routers pass on
  std::vector<NpuId> routers;  ///< with their NPUs
  std::vector<LinkName> links;
  std::optional<DrawnDefects> drawn;

  /// With those that are drawn in the lists.
  DefectsSpec complete() const;
};

}  // namespace wafertlm::config
