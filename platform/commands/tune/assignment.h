// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::backends {

/// A sequence of operations, one after the other, that several backends can do.
struct SequenceCosts {
  static constexpr TimePs kCannot = kNever;
  std::vector<std::vector<TimePs>> operations;  ///< time by operation and backend; kCannot: it cannot
  std::vector<std::vector<TimePs>> change;      ///< from backend to backend; 0 from one to itself

  /// One price for every change of backend.
  static std::vector<std::vector<TimePs>> equal_change(std::size_t backends, TimePs price);
};

struct Assignment {
  std::vector<std::size_t> backend;  ///< of each operation; empty: not possible
  TimePs time_ps = 0;                ///< operations and changes
  std::size_t changes = 0;

  bool is_possible(const SequenceCosts& costs) const { return backend.size() == costs.operations.size(); }
};

/// Prices a choice. @throws std::invalid_argument: a backend that cannot; std::overflow_error beyond 63 bits.
Assignment priced(const SequenceCosts& costs, std::vector<std::size_t> backend);

/// The cheapest choice: the shortest path through (operation, backend), by dynamic programming; of equals the
/// one whose backends come first, from the end of the sequence. Empty where an operation has no backend.
/// @throws std::invalid_argument: rows of unequal length; std::overflow_error beyond 63 bits.
Assignment shortest_path(const SequenceCosts& costs);

/// The fastest backend of each operation by itself, whatever a change costs.
Assignment fastest_of_each(const SequenceCosts& costs);

/// One backend for all. Empty where it cannot.
Assignment single(const SequenceCosts& costs, std::size_t backend);

}  // namespace wafertlm::backends
