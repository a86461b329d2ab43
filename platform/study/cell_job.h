// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/study/grid.h"

namespace wafertlm {

/// A cell as a process.
struct CellJob {
  std::vector<std::string> words;  ///< of the command line behind the program
  std::string input;  ///< program, command and every resolved value: the same text, the same result

  std::string command_line() const;  ///< to be typed in the folder of the study file
};

/// Reads and checks what the cell runs, in the current folder. @throws config::ConfigError.
CellJob job_of(const config::StudySpec& study, const Cell& cell);

/// The words that make the command write its JSON to `folder`, and where it then is.
std::vector<std::string> with_output(const CellJob& job, const std::string& folder);
std::string document_of(const CellJob& job, const std::string& folder);

}  // namespace wafertlm
