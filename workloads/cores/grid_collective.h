// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/cores/core_program.h"

namespace wafertlm::cores {

enum class GridCollectiveType : std::uint8_t { reduce, broadcast, all_reduce };

/// `wavelets` of each core of a rectangle; a reduction's sum is at its root, an all-reduce's everywhere.
struct GridCollective {
  GridCollectiveType type = GridCollectiveType::all_reduce;
  std::uint32_t columns = 1, rows = 1;
  std::uint32_t wavelets = 1;
};

/// What an algorithm does with a rectangle.
enum class OnRectangle : std::uint8_t {
  rows_then_column,  ///< all rows reduce to a core each, the column of those to the root; results go out from
                     ///< it
  rows_then_columns,  ///< all rows are done, then all columns
  one_line,           ///< a line through all cores
};

/// An algorithm for rows of cores and rectangles of them. Results go out by a route that fans out in the
/// routers.
struct GridAlgorithm {
  const char* name;
  const char* what;
  std::vector<GridCollectiveType> types;
  OnRectangle on_rectangle;
  CoreProgram (*program)(const GridCollective& what, const CoreParams& params);
  /// Published closed form in cycles (Luczynski et al., HPDC 2024); null: there is none.
  double (*published)(const GridCollective& what, const CoreParams& params) = nullptr;
  /// Place of the root on a line of so many; null: the first.
  std::uint32_t (*root)(std::uint32_t places) = nullptr;

  bool does(GridCollectiveType type) const;
};

const std::vector<GridAlgorithm>& grid_algorithms();
/// @throws std::invalid_argument: no such algorithm for the type, with those that there are.
const GridAlgorithm& grid_algorithm(const std::string& name, GridCollectiveType type);
/// No program is shorter: what the busiest core takes in, the farthest core's hops, a ramp each way.
Cycle least_cycles(const GridCollective& what, const CoreParams& params);

/// Place of the reduction's root.
CoreIndex root_of(const GridAlgorithm& algorithm, const GridCollective& what);

}  // namespace wafertlm::cores
