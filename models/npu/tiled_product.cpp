// SPDX-License-Identifier: Apache-2.0
#include "models/npu/tiled_product.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr double kPartialBytes = 4;  // of a sum over a part of k

double ratio_up(double a, double b) { return std::ceil(a / b); }

}  // namespace

TiledTime tiled_time(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product,
                     const TileShape& shape, std::uint32_t split) {
  const double m = static_cast<double>(product.m), n = static_cast<double>(product.n),
               k = static_cast<double>(product.k), count = static_cast<double>(product.count);
  if (m == 0 || n == 0 || k == 0) throw std::invalid_argument("a matrix product with a dimension of 0");
  if (rates.operations_per_s <= 0 || rates.memory_bytes_per_s <= 0)
    throw std::invalid_argument("no compute rate is known for the precision that is used: set npu.compute");
  TiledTime time;
  time.shape = shape;
  time.split = split;
  const double tile_m = static_cast<double>(shape.m), tile_n = static_cast<double>(shape.n),
               tile_k = static_cast<double>(shape.k);
  const double at_once = std::max(1.0, std::floor(double{1} * units.units / shape.units));
  const double tiles = ratio_up(m, tile_m) * ratio_up(n, tile_n) * count * split;
  const double depth = ratio_up(k, split);
  time.waves = ratio_up(tiles, at_once);

  const double unit_rate = rates.operations_per_s / units.units * shape.units;
  const double operands = (tile_m + tile_n) * rates.factor_bytes;  // a step of k
  double step_s = 2 * tile_m * tile_n / unit_rate;
  if (units.feed_bytes_per_s != 0)
    step_s = std::max(step_s, operands / (static_cast<double>(units.feed_bytes_per_s) * shape.units));
  time.compute_s = time.waves * depth * step_s;

  // What several tiles share comes once.
  const double active = std::min(tiles, at_once);
  time.fill_s = std::min(active * operands * std::min(depth, tile_k),
                         (m + n) * std::min(k, tile_k * split) * count * rates.factor_bytes) /
                rates.memory_bytes_per_s;
  const double results = m * n * count;
  const double last = tiles - (time.waves - 1) * at_once;
  time.drain_s = std::min(last * tile_m * tile_n, results) * rates.result_bytes / rates.memory_bytes_per_s;
  if (split > 1) time.drain_s += 2 * results * split * kPartialBytes / rates.memory_bytes_per_s;

  time.memory_s =
      ((m * k + k * n) * rates.factor_bytes + m * n * rates.result_bytes) * count / rates.memory_bytes_per_s;
  time.time_s = static_cast<double>(units.launch_ps) * 1e-12 +
                std::max(time.fill_s + time.compute_s + time.drain_s, time.memory_s);
  return time;
}

TiledTime tiled_time(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product) {
  TiledTime best;
  for (const TileShape& shape : units.shapes)
    for (std::uint32_t split = 1; split <= units.most_splits && split <= product.k; split *= 2) {
      const TiledTime time = tiled_time(units, rates, product, shape, split);
      if (best.waves == 0 || time.time_s < best.time_s) best = time;
    }
  if (best.waves == 0) throw std::invalid_argument("a matrix product with a dimension of 0");
  return best;
}

}  // namespace wafertlm
