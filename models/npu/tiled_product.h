// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/npu/compute_params.h"
#include "tlm/program/matrix_product.h"

namespace wafertlm {

/// What units compute with and on, in the precision that is used.
struct TiledRates {
  double operations_per_s = 0;  ///< of all units
  double memory_bytes_per_s = 0;
  double factor_bytes = 2, result_bytes = 2;  ///< of an element; of a factor with its share of a scale
};

/// How a product goes over the units, and how long that takes.
struct TiledTime {
  double time_s = 0;
  double compute_s = 0, fill_s = 0, drain_s = 0, memory_s = 0;
  TileShape shape;
  std::uint32_t split = 1;  ///< parts of k
  double waves = 0;
};

/// count × (m × k)·(k × n) in tiles of one shape, k in `split` parts: waves of as many tiles as there are
/// units for, each of ⌈k / tile k⌉ steps; a step takes its operations at the units' rate, or its operands at
/// `feed`, whichever is longer. The first step's operands come before, the last wave's results go after; all
/// at least the bytes of the three matrices through the memory. The launch comes on top.
/// @throws std::invalid_argument for a dimension or a rate of 0
TiledTime tiled_time(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product,
                     const TileShape& shape, std::uint32_t split);
/// With the shape and the split that take least, as a library chooses them.
TiledTime tiled_time(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product);

}  // namespace wafertlm
