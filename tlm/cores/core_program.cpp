// SPDX-License-Identifier: Apache-2.0
#include "tlm/cores/core_program.h"

#include <limits>
#include <stdexcept>

namespace wafertlm::cores {
namespace {

using Kind = Operation::Kind;

CoreIndex neighbour(const CoreProgram& of, CoreIndex core, Direction to) {
  switch (to) {
    case Direction::east:
      return core + 1;
    case Direction::west:
      return core - 1;
    case Direction::south:
      return core + of.columns;
    case Direction::north:
      return core - of.columns;
  }
  return core;
}

/// Adds the hops from `at`, `hops` from the source, to a row or column; returns the core that it ends at.
CoreIndex walk(const CoreProgram& of, Route& route, CoreIndex at, std::uint32_t& hops, Direction to,
               std::uint32_t count, bool arrives_at_all) {
  for (std::uint32_t k = 0; k < count; ++k) {
    route.links.push_back({at, to, ++hops});
    at = neighbour(of, at, to);
    if (arrives_at_all) route.arrivals.push_back({at, hops});
  }
  return at;
}

}  // namespace

CoreProgram::CoreProgram(std::uint32_t columns_, std::uint32_t rows_) : columns(columns_), rows(rows_) {
  if (columns == 0 || rows == 0 || rows > std::numeric_limits<CoreIndex>::max() / columns)
    throw std::invalid_argument("a rectangle of cores has at least one row and one column");
  cores.resize(std::size_t{columns} * rows);
}

RouteIndex CoreProgram::route(CoreIndex from, CoreIndex to) {
  Route made{from, {}, {}};
  std::uint32_t hops = 0;
  const std::uint32_t x0 = from % columns, x1 = to % columns, y0 = from / columns, y1 = to / columns;
  const CoreIndex corner = walk(*this, made, from, hops, x1 > x0 ? Direction::east : Direction::west,
                                x1 > x0 ? x1 - x0 : x0 - x1, false);
  walk(*this, made, corner, hops, y1 > y0 ? Direction::south : Direction::north, y1 > y0 ? y1 - y0 : y0 - y1,
       false);
  made.arrivals.push_back({to, hops});
  routes.push_back(std::move(made));
  return static_cast<RouteIndex>(routes.size() - 1);
}

RouteIndex CoreProgram::flood(CoreIndex from) {
  Route made{from, {}, {}};
  const std::uint32_t x = from % columns, y = from / columns;
  std::uint32_t east = 0, west = 0;
  walk(*this, made, from, east, Direction::east, columns - 1 - x, true);
  walk(*this, made, from, west, Direction::west, x, true);
  std::vector<Route::Arrival> row = made.arrivals;
  row.push_back({from, 0});
  for (const Route::Arrival& each : row) {
    std::uint32_t south = each.hops, north = each.hops;
    walk(*this, made, each.core, south, Direction::south, rows - 1 - y, true);
    walk(*this, made, each.core, north, Direction::north, y, true);
  }
  routes.push_back(std::move(made));
  return static_cast<RouteIndex>(routes.size() - 1);
}

std::vector<CoreIndex> CoreProgram::row(std::uint32_t row) const {
  std::vector<CoreIndex> line;
  for (std::uint32_t column = 0; column < columns; ++column) line.push_back(core(column, row));
  return line;
}

std::vector<CoreIndex> CoreProgram::column(std::uint32_t column) const {
  std::vector<CoreIndex> line;
  for (std::uint32_t row = 0; row < rows; ++row) line.push_back(core(column, row));
  return line;
}

void CoreProgram::compute(CoreIndex core, Cycle cycles) {
  if (cycles > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a core would compute for 2^32 cycles and more; take more cores");
  if (cycles > 0) cores[core].push_back({Kind::compute, 0, 0, static_cast<std::uint32_t>(cycles), 0});
}

void CoreProgram::send(CoreIndex core, RouteIndex out, std::uint32_t wavelets, std::uint32_t block) {
  cores[core].push_back({Kind::send, 0, out, wavelets, block});
}

void CoreProgram::store(CoreIndex core, RouteIndex in, std::uint32_t wavelets, std::uint32_t block) {
  cores[core].push_back({Kind::store, in, 0, wavelets, block});
}

void CoreProgram::add(CoreIndex core, RouteIndex in, std::uint32_t wavelets, std::uint32_t block) {
  cores[core].push_back({Kind::add, in, 0, wavelets, block});
}

void CoreProgram::forward(CoreIndex core, RouteIndex in, RouteIndex out, std::uint32_t wavelets,
                          std::uint32_t block) {
  cores[core].push_back({Kind::forward, in, out, wavelets, block});
}

}  // namespace wafertlm::cores
