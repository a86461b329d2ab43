// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// The same NPUs row by row.
Group row_by_row(Group tile);

/// The NPUs of a rectangle along a closed ring of neighbours, which there is if it has two rows and two
/// columns or more, and one of the two numbers is even. Others stay in the order that they have.
Group around_a_ring(const Group& tile, const PlacementGrid& grid);

}  // namespace wafertlm
