// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/config/study_spec.h"

namespace wafertlm {

/// One command of a study.
struct Cell {
  std::vector<std::string> values;  ///< by axis: name of the value
  std::string file;
  std::vector<std::string> arguments, overrides;
};

/// All cells, the last axis running fastest, without those that are excepted.
/// @throws std::invalid_argument when none is left, or one has no file.
std::vector<Cell> grid_of(const config::StudySpec& study);

/// Whether its values are among those of the selection; names that are no axes do not count.
bool is_in(const config::StudySpec& study, const Cell& cell, const config::Selection& selection);

/// The values of `cell`, those of the selection in place of its own.
std::vector<std::string> moved(const config::StudySpec& study, const Cell& cell, const config::Selection& to);

/// "workload ResNet-152, fabric mesh".
std::string name_of(const config::StudySpec& study, const Cell& cell);

}  // namespace wafertlm
