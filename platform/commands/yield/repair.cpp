// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/yield/repair.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace wafertlm::wafer_yield {
namespace {

/// Dead cells that are left, by line: rows are 0 to rows - 1, columns follow.
using Lines = std::map<std::uint32_t, std::vector<std::uint32_t>>;

Lines without(Lines lines, std::uint32_t gone) {
  for (const std::uint32_t across : lines[gone]) {
    std::vector<std::uint32_t>& cells = lines[across];
    cells.erase(std::find(cells.begin(), cells.end(), gone));
    if (cells.empty()) lines.erase(across);
  }
  lines.erase(gone);
  return lines;
}

struct Left {
  std::uint32_t rows, columns;
};

/// Finds an unmatched column for a row, moving others.
bool augment(const Lines& lines, std::uint32_t row, std::map<std::uint32_t, std::uint32_t>& row_of,
             std::set<std::uint32_t>& seen) {
  for (const std::uint32_t column : lines.at(row)) {
    if (!seen.insert(column).second) continue;
    const auto matched = row_of.find(column);
    if (matched == row_of.end() || augment(lines, matched->second, row_of, seen)) {
      row_of[column] = row;
      return true;
    }
  }
  return false;
}

/// As many dead cells as there can be without two in a line: each needs a line of its own.
std::size_t dead_in_lines_of_their_own(const Lines& lines, std::uint32_t rows) {
  std::map<std::uint32_t, std::uint32_t> row_of;
  for (const auto& [line, cells] : lines) {
    if (line >= rows) break;
    std::set<std::uint32_t> seen;
    augment(lines, line, row_of, seen);
  }
  return row_of.size();
}

bool covered(Lines lines, std::uint32_t rows, Left left) {
  while (!lines.empty()) {
    const auto most = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    const std::uint32_t line = most->first;
    std::size_t dead = 0;
    for (const auto& [number, cells] : lines) dead += number < rows ? cells.size() : 0;
    if (dead > most->second.size() * (std::size_t{left.rows} + left.columns)) return false;
    if (dead_in_lines_of_their_own(lines, rows) > std::size_t{left.rows} + left.columns) return false;
    const bool is_row = line < rows;
    std::uint32_t& same = is_row ? left.rows : left.columns;
    std::uint32_t& across = is_row ? left.columns : left.rows;
    const std::vector<std::uint32_t> cells = most->second;
    if (cells.size() == 1) return dead <= std::size_t{left.rows} + left.columns;
    if (cells.size() <= across) {  // not forced
      Left others = left;
      (is_row ? others.columns : others.rows) -= static_cast<std::uint32_t>(cells.size());
      Lines rest = lines;
      for (const std::uint32_t each : cells) rest = without(std::move(rest), each);
      if (covered(std::move(rest), rows, others)) return true;
    }
    if (same == 0) return false;
    --same;
    lines = without(std::move(lines), line);
  }
  return true;
}

}  // namespace

bool repaired_by_lines(const DeadGrid& grid, std::uint32_t spare_rows, std::uint32_t spare_columns) {
  Lines lines;
  for (std::uint32_t cell = 0; cell < grid.dead.size(); ++cell)
    if (grid.dead[cell]) {
      lines[cell / grid.columns].push_back(grid.rows + cell % grid.columns);
      lines[grid.rows + cell % grid.columns].push_back(cell / grid.columns);
    }
  // Rows alone, or columns alone, need no search.
  std::size_t rows = 0, columns = 0;
  for (const auto& [line, cells] : lines) ++(line < grid.rows ? rows : columns);
  if (rows <= spare_rows || columns <= spare_columns) return true;
  if (spare_rows == 0 || spare_columns == 0) return false;
  return covered(std::move(lines), grid.rows, {spare_rows, spare_columns});
}

bool repaired_by_jumps(const DeadGrid& grid, std::uint32_t spare_rows) {
  if (std::find(grid.dead.begin(), grid.dead.end(), true) == grid.dead.end()) return true;
  const std::uint32_t high = grid.rows - spare_rows;
  // place[y * columns + x]: the least physical row of logical cell x, y.
  std::vector<std::uint32_t> place(std::size_t{grid.columns} * high);
  std::vector<std::uint32_t> open;
  const auto raise = [&](std::uint32_t x, std::uint32_t y, std::uint32_t least) {
    std::uint32_t& at = place[std::size_t{y} * grid.columns + x];
    while (least < grid.rows && grid.dead[std::size_t{least} * grid.columns + x]) ++least;
    if (least > y + spare_rows) return false;
    if (least > at) {
      at = least;
      open.push_back(y * grid.columns + x);
    }
    return true;
  };
  for (std::uint32_t y = 0; y < high; ++y)
    for (std::uint32_t x = 0; x < grid.columns; ++x)
      if (!raise(x, y, y)) return false;
  while (!open.empty()) {
    const std::uint32_t cell = open.back(), x = cell % grid.columns, y = cell / grid.columns,
                        at = place[cell];
    open.pop_back();
    if (y + 1 < high && !raise(x, y + 1, at + 1)) return false;
    if (y > 0 && at >= 2 && !raise(x, y - 1, at - 2)) return false;
    if (at == 0) continue;
    if (x > 0 && !raise(x - 1, y, at - 1)) return false;
    if (x + 1 < grid.columns && !raise(x + 1, y, at - 1)) return false;
  }
  return true;
}

}  // namespace wafertlm::wafer_yield
