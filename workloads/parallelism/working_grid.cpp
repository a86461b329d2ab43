// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/working_grid.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::vector<bool> by_place(const PlacementGrid& grid) {
  std::vector<bool> is_idle(grid.npus());
  for (const NpuId npu : grid.idle) is_idle[index_of(npu)] = true;
  return is_idle;
}

/// The line with most idle places in lines that are still there; of equal ones the shorter.
class Lines {
 public:
  explicit Lines(const PlacementGrid& grid)
      : grid_(grid), is_idle_(by_place(grid)), rows_(grid.height, true), columns_(grid.width, true) {}

  /// False: there is none.
  bool leave_out_worst() {
    std::vector<std::uint32_t> in_row(grid_.height), in_column(grid_.width);
    for (std::uint32_t row = 0; row < grid_.height; ++row)
      for (std::uint32_t column = 0; column < grid_.width; ++column)
        if (rows_[row] && columns_[column] && is_idle_[row * grid_.width + column]) {
          ++in_row[row];
          ++in_column[column];
        }
    const auto row = std::max_element(in_row.begin(), in_row.end());
    const auto column = std::max_element(in_column.begin(), in_column.end());
    if (*row == 0) return false;
    if (*row > *column || (*row == *column && grid_.width <= grid_.height))
      rows_[static_cast<std::size_t>(row - in_row.begin())] = false;
    else
      columns_[static_cast<std::size_t>(column - in_column.begin())] = false;
    return true;
  }

  WorkingGrid left() const {
    WorkingGrid made;
    made.grid.width = static_cast<std::uint32_t>(std::count(columns_.begin(), columns_.end(), true));
    made.grid.height = static_cast<std::uint32_t>(std::count(rows_.begin(), rows_.end(), true));
    for (std::uint32_t row = 0; row < grid_.height; ++row)
      for (std::uint32_t column = 0; column < grid_.width; ++column)
        if (rows_[row] && columns_[column])
          made.npus.push_back(static_cast<NpuId>(row * grid_.width + column));
    return made;
  }

 private:
  const PlacementGrid& grid_;
  std::vector<bool> is_idle_, rows_, columns_;
};

WorkingGrid snake(const PlacementGrid& grid) {
  const std::vector<bool> is_idle = by_place(grid);
  WorkingGrid made;
  for (std::uint32_t row = 0; row < grid.height; ++row)
    for (std::uint32_t i = 0; i < grid.width; ++i) {
      const std::uint32_t place = row * grid.width + (row % 2 == 0 ? i : grid.width - 1 - i);
      if (!is_idle[place]) made.npus.push_back(static_cast<NpuId>(place));
    }
  made.grid.width = static_cast<std::uint32_t>(made.npus.size());
  made.grid.height = 1;
  return made;
}

}  // namespace

WorkingGrid working_grid(const PlacementGrid& grid, std::uint32_t workers) {
  Lines lines(grid);
  while (lines.leave_out_worst()) {
  }
  WorkingGrid made = lines.left();
  return made.npus.size() >= workers ? made : snake(grid);
}

}  // namespace wafertlm
