// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/validate/validation_row.h"
#include "platform/describe/file_kind.h"

namespace wafertlm::validate {

/// The file kind of tables of measurements in YAML.
config::FileKind measurements_file_kind();

/// Measurements from a file: YAML (measurements_file_kind), or CSV (RFC 4180: quotes, and lines within them)
/// with the columns id, system, ranks, topology facts, operation, size or model+parallelism, measured, unit,
/// source and, if it likes, notes.
/// @throws std::invalid_argument with file and line: a column is missing, unknown or there twice; a row has
/// too many or too few, no id, an id that is there already, no unit.
std::vector<ValidationRow> read_rows(const std::string& file);

}  // namespace wafertlm::validate
