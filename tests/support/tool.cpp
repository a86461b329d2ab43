// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tool.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/temp_folder.h"

namespace wafertlm::test {

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string tool_path() {
  const char* other = std::getenv("WAFERTLM_EXECUTABLE");
  return other != nullptr ? other : WAFERTLM_EXECUTABLE;
}

ToolResult run_tool(const std::string& arguments) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out", error = folder.path() + "/error";
  const std::string command = tool_path() + " " + arguments + " >" + out + " 2>" + error;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(error)};
}

}  // namespace wafertlm::test
