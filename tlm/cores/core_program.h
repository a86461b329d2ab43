// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/cores/core_params.h"

namespace wafertlm::cores {

using CoreIndex = std::uint32_t;  ///< row * columns + column
using RouteIndex = std::uint32_t;

enum class Direction : std::uint8_t { east, west, south, north };

/// What a core does next. Sending runs beside what follows; all else keeps the core until it is done.
struct Operation {
  enum class Kind : std::uint8_t {
    compute,  ///< for `amount` cycles
    send,     ///< `amount` wavelets of a block
    store,    ///< takes them in, in place of the block
    add,      ///< takes them in and adds them to the block
    forward,  ///< takes them in and sends the sum with the block on, one a cycle
  };
  Kind kind = Kind::compute;
  RouteIndex in = 0, out = 0;
  std::uint32_t amount = 0;
  std::uint32_t block = 0;
};

/// A static route from one core to others: a path, or a tree of paths.
struct Route {
  struct Crossing {
    CoreIndex from;
    Direction to;
    std::uint32_t hops;  ///< from the source to the far end
  };
  struct Arrival {
    CoreIndex core;
    std::uint32_t hops;
  };
  CoreIndex source = 0;
  std::vector<Crossing> links;
  std::vector<Arrival> arrivals;
};

/// Programs of all cores of a rectangle, and the routes between them.
struct CoreProgram {
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t blocks = 1;   ///< parts of a core's vector
  std::uint32_t colours = 0;  ///< routes that a router needs
  std::vector<std::vector<Operation>> cores;
  std::vector<Route> routes;

  CoreProgram(std::uint32_t columns, std::uint32_t rows);
  CoreIndex core(std::uint32_t column, std::uint32_t row) const { return row * columns + column; }

  /// A route along the row first, then along the column.
  RouteIndex route(CoreIndex from, CoreIndex to);
  /// From a core to all others: along its row and, from each core of that, along its column.
  RouteIndex flood(CoreIndex from);
  /// The cores of a row, from its first.
  std::vector<CoreIndex> row(std::uint32_t row) const;
  std::vector<CoreIndex> column(std::uint32_t column) const;

  void compute(CoreIndex core, Cycle cycles);
  void send(CoreIndex core, RouteIndex out, std::uint32_t wavelets, std::uint32_t block = 0);
  void store(CoreIndex core, RouteIndex in, std::uint32_t wavelets, std::uint32_t block = 0);
  void add(CoreIndex core, RouteIndex in, std::uint32_t wavelets, std::uint32_t block = 0);
  void forward(CoreIndex core, RouteIndex in, RouteIndex out, std::uint32_t wavelets,
               std::uint32_t block = 0);
};

}  // namespace wafertlm::cores
