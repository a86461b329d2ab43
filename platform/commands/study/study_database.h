// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "platform/commands/study/report.h"

namespace wafertlm {

/// Writes an SQLite database of a study that has run: table `study`, a row per cell with axes, columns and
/// error as in results.csv; `cells` (id, command, state, attempts, exit code, seconds, memory, worker); and
/// `attempts`, every one of them. Made in the temporary folder of this machine and then moved: `file` may
/// be on a network file system, where SQLite cannot lock. @throws std::runtime_error.
void write_study_database(const std::filesystem::path& file, const StudyResult& result,
                          const std::filesystem::path& study_folder);

}  // namespace wafertlm
