// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/validate/validation_row.h"
#include "platform/describe/table.h"

namespace wafertlm::validate {

/// A row and what came of it.
struct Outcome {
  ValidationRow row;
  std::string group;
  std::optional<Answer> answer;
  std::string reason;  ///< why there is no answer

  /// Simulated over measured, less 1; of a row that is no value none.
  std::optional<double> error() const;
};

/// Of the absolute errors of the rows with an answer; a row without one counts as missed.
struct GroupStatistics {
  std::string name;
  std::size_t rows = 0, said = 0;
  std::optional<double> median, p90, worst;
  std::string worst_row;  ///< its id
  std::optional<double> closed_form_median;
};
/// In the order in which groups come up.
std::vector<GroupStatistics> statistics_of(const std::vector<Outcome>& outcomes);

const Table<Outcome>& outcomes_table();
const Table<GroupStatistics>& groups_table();

}  // namespace wafertlm::validate
