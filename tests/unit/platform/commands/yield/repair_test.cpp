// SPDX-License-Identifier: Apache-2.0
// Repairs by hand, and of random grids against trying everything.
#include "platform/commands/yield/repair.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace wafertlm::wafer_yield {
namespace {

DeadGrid drawn(const std::vector<std::string>& rows) {
  DeadGrid grid{static_cast<std::uint32_t>(rows[0].size()), static_cast<std::uint32_t>(rows.size()), {}};
  for (const std::string& row : rows)
    for (const char each : row) grid.dead.push_back(each == 'x');
  return grid;
}

int ones(std::uint32_t set) {
  int count = 0;
  for (; set != 0; set &= set - 1) ++count;
  return count;
}

bool lines_by_trying(const DeadGrid& grid, std::uint32_t rows, std::uint32_t columns) {
  for (std::uint32_t gone_rows = 0; gone_rows < 1U << grid.rows; ++gone_rows)
    for (std::uint32_t gone = 0; gone < 1U << grid.columns; ++gone) {
      if (ones(gone_rows) > static_cast<int>(rows) || ones(gone) > static_cast<int>(columns)) continue;
      bool whole = true;
      for (std::uint32_t cell = 0; cell < grid.dead.size(); ++cell)
        whole = whole && (!grid.dead[cell] || ((gone_rows >> (cell / grid.columns)) & 1) != 0 ||
                          ((gone >> (cell % grid.columns)) & 1) != 0);
      if (whole) return true;
    }
  return false;
}

/// Cell after cell, each at every place that fits those before it.
bool jumps_by_trying(const DeadGrid& grid, std::uint32_t high, std::vector<int>& place, std::uint32_t cell) {
  if (cell == high * grid.columns) return true;
  const std::uint32_t x = cell % grid.columns, y = cell / grid.columns;
  for (std::uint32_t at = 0; at < grid.rows; ++at) {
    const int row = static_cast<int>(at);
    if (grid.dead[at * grid.columns + x]) continue;
    if (x > 0 && std::abs(row - place[cell - 1]) > 1) continue;
    if (y > 0 && (row <= place[cell - grid.columns] || row > place[cell - grid.columns] + 2)) continue;
    place[cell] = row;
    if (jumps_by_trying(grid, high, place, cell + 1)) return true;
  }
  return false;
}

TEST(WaferRepair, LinesByHand) {
  const DeadGrid diagonal = drawn({"x...", ".x..", "..x.", "...."});
  EXPECT_FALSE(repaired_by_lines(diagonal, 1, 1));
  EXPECT_TRUE(repaired_by_lines(diagonal, 1, 2));
  EXPECT_TRUE(repaired_by_lines(diagonal, 3, 0));
  const DeadGrid row = drawn({"....", "xxxx", "....", ".x.."});
  EXPECT_FALSE(repaired_by_lines(row, 0, 3));
  EXPECT_FALSE(repaired_by_lines(row, 1, 0));
  EXPECT_TRUE(repaired_by_lines(row, 1, 1));
  EXPECT_TRUE(repaired_by_lines(drawn({"..", ".."}), 0, 0));
}

// Where trying takes too long: dead cells in lines of their own need as many lines; full rows and columns as
// they are.
TEST(WaferRepair, LinesOfLargeGrids) {
  DeadGrid grid{100, 100, std::vector<bool>(10'000)};
  for (std::uint32_t i = 0; i < 60; ++i) grid.dead[i * 101] = true;
  EXPECT_TRUE(repaired_by_lines(grid, 30, 30));
  EXPECT_FALSE(repaired_by_lines(grid, 30, 29));
  for (std::uint32_t i = 0; i < 100; ++i) grid.dead[99 * 100 + i] = grid.dead[i * 100 + 98] = true;
  EXPECT_TRUE(repaired_by_lines(grid, 31, 31));
  EXPECT_FALSE(repaired_by_lines(grid, 31, 30));
  EXPECT_FALSE(repaired_by_lines(grid, 30, 31));
  EXPECT_FALSE(repaired_by_lines(grid, 0, 62));
}

TEST(WaferRepair, JumpsByHand) {
  // One dead cell in each column, anywhere near: whole rows would have to be four.
  const DeadGrid stairs = drawn({"x...", ".x..", "..x.", "...x", "....", "...."});
  EXPECT_TRUE(repaired_by_jumps(stairs, 1));
  EXPECT_FALSE(repaired_by_lines(stairs, 3, 0));
  EXPECT_FALSE(repaired_by_jumps(stairs, 0));
  // Two dead ones below each other cannot be jumped over, but above all rows in use they need not be.
  EXPECT_FALSE(repaired_by_jumps(drawn({".", "x", "x", "."}), 2));
  EXPECT_TRUE(repaired_by_jumps(drawn({"x", "x", ".", "."}), 2));
  // A column two rows lower than its neighbour does not reach it.
  EXPECT_FALSE(repaired_by_jumps(drawn({"x.", "x.", ".x", ".x"}), 2));
}

TEST(WaferRepair, RandomGridsAsByTryingEverything) {
  std::mt19937 engine(54);
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(engine() % count); };
  int lines = 0, jumps = 0;
  for (int i = 0; i < 3000; ++i) {
    DeadGrid grid{1 + below(5), 2 + below(5), {}};
    const std::uint32_t percent = 5 + below(40);
    for (std::uint32_t cell = 0; cell < grid.columns * grid.rows; ++cell)
      grid.dead.push_back(below(100) < percent);
    const std::uint32_t rows = below(4), columns = below(4), spare = below(grid.rows);
    const bool by_lines = lines_by_trying(grid, rows, columns);
    EXPECT_EQ(repaired_by_lines(grid, rows, columns), by_lines) << i;
    std::vector<int> place(std::size_t{grid.columns} * grid.rows);
    const bool by_jumps = jumps_by_trying(grid, grid.rows - spare, place, 0);
    EXPECT_EQ(repaired_by_jumps(grid, spare), by_jumps) << i;
    lines += by_lines ? 1 : 0;
    jumps += by_jumps ? 1 : 0;
  }
  EXPECT_GT(lines, 300);
  EXPECT_LT(lines, 2700);
  EXPECT_GT(jumps, 300);
  EXPECT_LT(jumps, 2700);
}

}  // namespace
}  // namespace wafertlm::wafer_yield
