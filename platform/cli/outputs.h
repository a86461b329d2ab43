// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace wafertlm {

/// Every output that the options of a parsed command name (names_output) can be written, and none of them is
/// an input: a file that another option names, or that such a file names in turn, or a trace of a prefix.
/// Files are the same if device and inode are. @param json the file of --json, if the command only prints it
/// @throws std::invalid_argument
void require_outputs(CLI::App& command, const std::string& json);

}  // namespace wafertlm
