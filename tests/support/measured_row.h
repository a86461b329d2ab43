// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::test {

/// A row as a table of measurements has it, on its second line.
inline validate::ValidationRow measured_row(const std::string& system, const std::string& ranks,
                                            const std::string& operation, const std::string& size,
                                            const std::string& unit) {
  validate::ValidationRow row;
  row.id = "r1";
  row.place = "rows.csv:2";
  row.system = system;
  row.ranks = ranks;
  row.operation = operation;
  row.size = size;
  row.unit = unit;
  return row;
}

}  // namespace wafertlm::test
