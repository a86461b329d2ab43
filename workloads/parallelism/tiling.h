// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// `count` groups of `size` NPUs each, contiguous, without overlap: rectangles if they can be packed (those
/// that close to a ring of neighbours are tried first, squarer ones before longer ones), else consecutive
/// pieces of a snake down and up the columns. NPUs within a group follow a snake, so that consecutive ones
/// are neighbours.
/// Requires size × count <= grid.npus().
std::vector<Group> tiles(std::uint32_t size, std::uint32_t count, const PlacementGrid& grid);

}  // namespace wafertlm
