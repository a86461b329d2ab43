// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command_run.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <regex>

namespace wafertlm::test {

CommandRun run_command(std::function<int()> (*add)(CLI::App& app), const std::string& line) {
  CLI::App app;
  const std::function<int()> command = add(app);
  CommandRun run;
  testing::internal::CaptureStdout();
  try {
    // As the command line does: alone it is the standard output.
    static const std::regex alone(R"(--json(?= |$)(?! -( |$))(?! \S+\.json))");
    app.parse(std::regex_replace(line, alone, "--json=-"));
    run.exit_code = command();
  } catch (const std::exception& error) {
    run.refusal = error.what();
  }
  run.out = testing::internal::GetCapturedStdout();
  return run;
}

}  // namespace wafertlm::test
