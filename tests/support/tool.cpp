// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tool.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <wordexp.h>

#include <cstdlib>
#include <fstream>
#include <regex>
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

namespace {

ToolResult result_of(const std::string& command) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out", error = folder.path() + "/error";
  const int status = std::system((command + " >" + out + " 2>" + error).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(error)};
}

/// The experiment and the --set of a `run`, as words of the shell.
std::string checked_part(const std::string& arguments) {
  wordexp_t words;
  if (wordexp(arguments.c_str(), &words, WRDE_NOCMD) != 0) return "";
  std::string part, option;
  for (std::size_t i = 1; i < words.we_wordc; ++i) {
    const std::string word = words.we_wordv[i];
    if (word.rfind("--", 0) == 0) option = word.substr(0, word.find('='));
    const bool is_file = option.empty() && part.empty();
    if (is_file || option == "--set") part += " '" + word + "'";
  }
  wordfree(&words);
  return part;
}

/// What `run` refuses, `check` refuses in the same words, but for what is asked of the run alone: where it
/// writes, and what it records.
void expect_check_refuses(const std::string& arguments, const ToolResult& run) {
  static const std::regex of_the_run(
      "--(out|vcd|signals|trace|trace-file|log|report)\\b|wafertlm: The following|"
      "is required|there is no option|cannot write|no file and no preset|expected a file with 'experiment'");
  if (arguments.rfind("run ", 0) != 0 || run.exit_code != 2 || std::regex_search(run.error, of_the_run))
    return;
  const std::string part = checked_part(arguments);
  if (part.empty()) return;
  const ToolResult check = result_of(tool_path() + " check" + part);
  EXPECT_EQ(check.exit_code, 2) << "wafertlm check" << part;
  EXPECT_EQ(check.error, run.error) << "wafertlm check" << part;
}

}  // namespace

ToolResult run_tool(const std::string& arguments) {
  ToolResult result = result_of(tool_path() + " " + arguments);
  expect_check_refuses(arguments, result);
  return result;
}

ToolResult run_program(const std::string& program, const std::string& arguments) {
  return result_of(program + " " + arguments);
}

}  // namespace wafertlm::test
