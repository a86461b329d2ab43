// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/tile_order.h"

#include <algorithm>

namespace wafertlm {
namespace {

/// The corner of NPUs that fill a rectangle, and its sides; no sides if they fill none.
struct Rectangle {
  std::uint32_t column = 0, row = 0, width = 0, height = 0;
};

Rectangle rectangle_of(const Group& tile, const PlacementGrid& grid) {
  std::uint32_t left = grid.width, right = 0, top = grid.height, bottom = 0;
  for (const NpuId npu : tile) {
    const auto column = static_cast<std::uint32_t>(index_of(npu) % grid.width);
    const auto row = static_cast<std::uint32_t>(index_of(npu) / grid.width);
    left = std::min(left, column), right = std::max(right, column);
    top = std::min(top, row), bottom = std::max(bottom, row);
  }
  const std::uint32_t width = right - left + 1, height = bottom - top + 1;
  return width * height == tile.size() ? Rectangle{left, top, width, height} : Rectangle{};
}

}  // namespace

Group row_by_row(Group tile) {
  std::sort(tile.begin(), tile.end());
  return tile;
}

Group around_a_ring(const Group& tile, const PlacementGrid& grid) {
  const auto [column, row, width, height] = rectangle_of(tile, grid);
  if (width < 2 || height < 2 || width * height % 2 != 0) return tile;
  // A snake over `lines` lines, an even number, without their first places, which are the way back.
  const bool along_rows = height % 2 == 0;
  const std::uint32_t lines = along_rows ? height : width, places = along_rows ? width : height;
  Group ring;
  const auto add = [&, left = column, top = row, wide = grid.width](std::uint32_t line, std::uint32_t place) {
    const std::uint32_t down = along_rows ? line : place, right = along_rows ? place : line;
    ring.push_back(static_cast<NpuId>((top + down) * wide + left + right));
  };
  for (std::uint32_t line = 0; line < lines; ++line)
    for (std::uint32_t i = 1; i < places; ++i) add(line, line % 2 == 0 ? i : places - i);
  for (std::uint32_t line = lines; line > 0; --line) add(line - 1, 0);
  return ring;
}

}  // namespace wafertlm
