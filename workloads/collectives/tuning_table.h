// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm::backends {

/// The best that was measured for an operation of a group at a size.
struct TunedRow {
  CollectiveType type = CollectiveType::all_reduce;
  Group npus;  ///< as measured
  std::uint64_t bytes = 0;
  std::string algorithm;
  std::string backend;  ///< that it belongs to
  TimePs time_ps = 0;   ///< as measured
};

/// What was tuned, for look-ups.
class TuningTable {
 public:
  /// @throws std::invalid_argument: no rows, or two of the same type, group and size.
  explicit TuningTable(std::vector<TunedRow> rows);

  /// The row of the nearest size that is not smaller; of the same NPUs in any order, or where there is none
  /// of them, of the first group with as many.
  /// @throws std::invalid_argument that says what the table lacks and has.
  const TunedRow& look_up(CollectiveType type, const Group& group, std::uint64_t bytes) const;

  const std::vector<TunedRow>& rows() const { return rows_; }

 private:
  std::vector<TunedRow> rows_;  // as given
};

/// "0-4,10"
std::string group_text(const Group& group);

}  // namespace wafertlm::backends
