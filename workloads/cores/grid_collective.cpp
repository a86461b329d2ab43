// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/grid_collective.h"

#include <algorithm>
#include <stdexcept>

#include "workloads/cores/grid_ring.h"
#include "workloads/cores/reduction_tree.h"
#include "workloads/cores/tree_search.h"

namespace wafertlm::cores {
namespace {

using Type = GridCollectiveType;
using Line = std::vector<CoreIndex>;
/// The tree along a line of so many places.
using TreeOf = ReductionTree (*)(std::uint32_t places, std::uint32_t wavelets, Cycle ramp);

ReductionTree star(std::uint32_t places, std::uint32_t, Cycle) { return star_tree(places); }
ReductionTree chain(std::uint32_t places, std::uint32_t, Cycle) { return chain_tree(places); }
ReductionTree binomial(std::uint32_t places, std::uint32_t, Cycle) { return binomial_tree(places); }
ReductionTree two_phase(std::uint32_t places, std::uint32_t, Cycle) { return two_phase_tree(places); }
ReductionTree middle(std::uint32_t places, std::uint32_t, Cycle) { return middle_tree(places); }

/// Colours of a reduction: of neighbours two that alternate, and of what passes other cores by two more, in
/// each of two directions.
constexpr std::uint32_t kTreeColours = 8;

template <TreeOf kTree>
CoreProgram tree_program(const GridCollective& what, const CoreParams& params) {
  CoreProgram program(what.columns, what.rows);
  const ReductionTree of_row = kTree(what.columns, what.wavelets, params.ramp);
  CoreIndex root = 0;
  for (std::uint32_t row = 0; row < what.rows; ++row)
    root = add_reduction(program, program.row(row), of_row, what.wavelets);
  program.colours = kTreeColours;
  if (what.rows > 1) {
    root = add_reduction(program, program.column(root % what.columns),
                         kTree(what.rows, what.wavelets, params.ramp), what.wavelets);
    program.colours += kTreeColours;
  }
  if (what.type == Type::all_reduce) add_flood(program, root, what.wavelets);
  return program;
}

CoreProgram snake_program(const GridCollective& what, const CoreParams&) {
  CoreProgram program(what.columns, what.rows);
  Line line;
  for (std::uint32_t row = 0; row < what.rows; ++row) {
    Line next = program.row(row);
    if (row % 2 == 1) std::reverse(next.begin(), next.end());
    line.insert(line.end(), next.begin(), next.end());
  }
  add_reduction(program, line, chain_tree(static_cast<std::uint32_t>(line.size())), what.wavelets);
  program.colours = kTreeColours;
  if (what.type == Type::all_reduce) add_flood(program, 0, what.wavelets);
  return program;
}

CoreProgram flood_program(const GridCollective& what, const CoreParams&) {
  CoreProgram program(what.columns, what.rows);
  add_flood(program, 0, what.wavelets);
  return program;
}

CoreProgram ring_program(const GridCollective& what, const CoreParams&) {
  CoreProgram program(what.columns, what.rows);
  program.blocks = std::max(what.columns, what.rows);
  if (what.columns > 1)
    for (std::uint32_t row = 0; row < what.rows; ++row) add_ring(program, program.row(row), what.wavelets);
  if (what.rows > 1)
    for (std::uint32_t column = 0; column < what.columns; ++column)
      add_ring(program, program.column(column), what.wavelets);
  program.colours = kRingColours * ((what.columns > 1 ? 1 : 0) + (what.rows > 1 ? 1 : 0));
  return program;
}

double flood_cycles(const GridCollective& what, const CoreParams& params) {
  if (what.columns * what.rows == 1) return 0;
  return static_cast<double>(what.wavelets + (what.columns - 1) + (what.rows - 1) + 2 * params.ramp + 1);
}

double with_flood(double reduced, const GridCollective& what, const CoreParams& params) {
  return reduced + (what.type == Type::all_reduce ? flood_cycles(what, params) : 0);
}

/// Of a line; `line`: cycles of so many places.
template <typename OfLine>
double rows_then_columns(const GridCollective& what, const CoreParams& params, OfLine line) {
  const double columns = what.columns > 1 ? line(what.columns) : 0,
               rows = what.rows > 1 ? line(what.rows) : 0;
  return with_flood(columns + rows, what, params);
}

double star_cycles(const GridCollective& what, const CoreParams& params) {
  return rows_then_columns(what, params, [&](std::uint32_t places) {
    return static_cast<double>(Cycle{what.wavelets} * (places - 1) + 2 * params.ramp + 1);
  });
}

double chain_cycles(const GridCollective& what, const CoreParams& params) {
  return rows_then_columns(what, params, [&](std::uint32_t places) {
    return static_cast<double>(what.wavelets + (2 * params.ramp + 2) * (places - 1));
  });
}

double snake_cycles(const GridCollective& what, const CoreParams& params) {
  const Cycle places = Cycle{what.columns} * what.rows;
  return with_flood(
      places > 1 ? static_cast<double>(what.wavelets + (2 * params.ramp + 2) * (places - 1)) : 0, what,
      params);
}

double ring_cycles(const GridCollective& what, const CoreParams& params) {
  GridCollective reduced = what;
  reduced.type = Type::reduce;
  return rows_then_columns(reduced, params, [&](std::uint32_t places) {
    const double p = places;
    return 2 * (p - 1) * what.wavelets / p + 4 * p - 6 +
           2 * (p - 1) * static_cast<double>(2 * params.ramp + 1);
  });
}

template <TreeOf kTree>
double tree_cycles(const GridCollective& what, const CoreParams& params) {
  return rows_then_columns(what, params, [&](std::uint32_t places) {
    return modelled_cycles(cost_of(kTree(places, what.wavelets, params.ramp), what.wavelets), params.ramp);
  });
}

std::string names_for(Type type) {
  std::string names;
  for (const GridAlgorithm& each : grid_algorithms())
    if (each.does(type)) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

}  // namespace

const std::vector<GridAlgorithm>& grid_algorithms() {
  static const std::vector<Type> sums{Type::reduce, Type::all_reduce};
  using On = OnRectangle;
  const auto middle_root = [](std::uint32_t places) { return middle_tree(places).root; };
  static const std::vector<GridAlgorithm> rows{
      {"star", "all to the root", sums, On::rows_then_column, tree_program<star>, star_cycles},
      {"chain", "neighbour to neighbour", sums, On::rows_then_column, tree_program<chain>, chain_cycles},
      {"tree", "binomial tree", sums, On::rows_then_column, tree_program<binomial>, tree_cycles<binomial>},
      {"two_phase", "chains in groups, then of groups", sums, On::rows_then_column, tree_program<two_phase>,
       tree_cycles<two_phase>},
      {"k_tree", "two phases towards the middle", sums, On::rows_then_column, tree_program<middle>, nullptr,
       middle_root},
      {"auto_gen", "searched reduction tree", sums, On::rows_then_column, tree_program<searched_tree>,
       tree_cycles<searched_tree>},
      {"snake", "one chain through all rows", sums, On::one_line, snake_program, snake_cycles},
      {"ring",
       "blocks round rows, then columns",
       {Type::all_reduce},
       On::rows_then_columns,
       ring_program,
       ring_cycles},
      {"multicast",
       "routes that fan out",
       {Type::broadcast},
       On::rows_then_column,
       flood_program,
       flood_cycles},
  };
  return rows;
}

bool GridAlgorithm::does(Type type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

const GridAlgorithm& grid_algorithm(const std::string& name, Type type) {
  for (const GridAlgorithm& each : grid_algorithms())
    if (name == each.name && each.does(type)) return each;
  throw std::invalid_argument("no algorithm '" + name + "' for it; there are: " + names_for(type));
}

CoreIndex root_of(const GridAlgorithm& algorithm, const GridCollective& what) {
  if (!algorithm.root) return 0;
  return algorithm.root(what.rows) * what.columns + algorithm.root(what.columns);
}

Cycle least_cycles(const GridCollective& what, const CoreParams& params) {
  if (what.columns * what.rows == 1) return 0;
  const Cycle across = Cycle{what.columns} - 1 + what.rows - 1;
  const Cycle hops = what.type == Type::reduce ? (across + 1) / 2 : across;
  return what.wavelets + hops + 2 * params.ramp + 1;
}

}  // namespace wafertlm::cores
