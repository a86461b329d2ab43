// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::wafer_yield {

/// Dead cells of a grid, by rows from the top left.
struct DeadGrid {
  std::uint32_t columns, rows;
  std::vector<bool> dead;
};

/// Whether leaving out so many whole rows and columns leaves no dead cell. Exact: a row with more dead cells
/// than columns can be left out must go (and the other way round); then the line with most dead cells either
/// goes, or all lines across its dead cells do.
bool repaired_by_lines(const DeadGrid& grid, std::uint32_t spare_rows, std::uint32_t spare_columns);

/// Whether 2-hop links make a regular grid of all columns and `spare_rows` fewer rows: a column jumps over
/// one dead (or unused) cell at a time, and neighbours in a logical row are at most one physical row apart.
/// Exact: the places of the cells have a least solution, which raising lower bounds reaches.
bool repaired_by_jumps(const DeadGrid& grid, std::uint32_t spare_rows);

}  // namespace wafertlm::wafer_yield
