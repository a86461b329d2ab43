// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// A grid without NPUs that do not work, and the NPU at each of its places.
struct WorkingGrid {
  PlacementGrid grid;
  std::vector<NpuId> npus;
};

/// Rows and columns with NPUs that do not work are left out, those with most first, as spares of commercial
/// wafers are used: neighbours stay in line, one hop more apart. If too few places are left for `workers`:
/// one row, of all NPUs that work in a snake along the rows.
WorkingGrid working_grid(const PlacementGrid& grid, std::uint32_t workers);

}  // namespace wafertlm
