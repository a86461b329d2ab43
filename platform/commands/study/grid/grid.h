// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/spec/study_spec.h"

namespace wafertlm {

/// One command of a study.
struct Cell {
  std::vector<std::string> values;  ///< by axis: name of the value
  std::string file;
  std::vector<std::string> arguments, overrides;
};

/// All cells, the last axis running fastest, without those that are excepted.
/// @throws config::ConfigError when none is left.
std::vector<Cell> grid_of(const config::StudySpec& study);

/// Whether its values are among those of the selection; names that are no axes do not count.
bool is_in(const config::StudySpec& study, const Cell& cell, const config::Selection& selection);

/// The values of `cell`, those of the selection in place of its own.
std::vector<std::string> moved(const config::StudySpec& study, const Cell& cell, const config::Selection& to);

/// Where the study's name is written.
config::SourceLocation place_of(const config::StudySpec& study);

/// "workload ResNet-152, fabric mesh".
std::string name_of(const config::StudySpec& study, const Cell& cell);

/// A cell as a process.
struct CellJob {
  std::vector<std::string> words;  ///< of the command line behind the program
  std::string
      id;  ///< SHA-256 (128 bits) of program, command and every resolved value: the same id, the same result
};

/// Reads and checks what the cell runs, in the current folder. @throws config::ConfigError.
CellJob job_of(const config::StudySpec& study, const Cell& cell);
/// Of its command line behind the program, which nothing checks.
std::vector<std::string> words_of(const config::StudySpec& study, const Cell& cell);

/// As it is typed in the folder of the study file.
std::string command_line(const std::vector<std::string>& words);
/// The words that make the command write its JSON to `folder`, and where it then is.
std::vector<std::string> with_output(std::vector<std::string> words, const std::string& folder);
std::string document_of(const std::vector<std::string>& words, const std::string& folder);

}  // namespace wafertlm
