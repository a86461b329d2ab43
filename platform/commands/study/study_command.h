// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "platform/describe/file_kind.h"
#include "platform/spec/study_spec.h"

namespace wafertlm {

/// Reads and checks what every cell of the study in `file` runs; nothing is run. @return how many there are
/// @throws config::ConfigError, naming the cell.
std::size_t check_study(const config::StudySpec& study, const std::string& file);
/// Its `check` goes over the cells, too.
config::FileKind study_file_kind();

}  // namespace wafertlm
