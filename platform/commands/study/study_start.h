// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "platform/commands/study/sweep/sweep.h"

namespace wafertlm {

/// How a study was started: what `study resume` needs to go on.
struct StudyStart {
  std::string study, out;  ///< file; folder of results. Absolute
  std::vector<std::string> overrides;
  SweepOptions options;
  bool fresh = false;  ///< cells that are done run again
};

/// In out/cells/sweep/study.json.
void note_start(const StudyStart& start);
/// Of the study whose results go to `out`. @throws std::invalid_argument: none was started there.
StudyStart noted_start(const std::filesystem::path& out);

}  // namespace wafertlm
