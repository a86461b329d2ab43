// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "platform/commands/study/report.h"

namespace wafertlm {

/// report.html of a study: charts chosen from its axes, its cells with their references, and links to the
/// reports that cells have in out/cells.
std::string study_page(const StudyResult& result, const std::filesystem::path& out);

}  // namespace wafertlm
