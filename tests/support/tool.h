// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::test {

struct ToolResult {
  int exit_code = 0;
  std::string out, error;
};

/// The wafertlm executable: of this build, or of another one that $WAFERTLM_EXECUTABLE names.
std::string tool_path();

/// Runs it through the shell with these arguments.
ToolResult run_tool(const std::string& arguments);

/// The same of another program.
ToolResult run_program(const std::string& program, const std::string& arguments);

/// The text of a file; empty if there is none.
std::string read_text(const std::string& path);

}  // namespace wafertlm::test
