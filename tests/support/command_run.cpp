// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command_run.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <exception>

namespace wafertlm::test {

CommandRun run_command(std::function<int()> (*add)(CLI::App& app), const std::string& line) {
  CLI::App app;
  const std::function<int()> command = add(app);
  CommandRun run;
  testing::internal::CaptureStdout();
  try {
    app.parse(line);
    run.exit_code = command();
  } catch (const std::exception& error) {
    run.refusal = error.what();
  }
  run.out = testing::internal::GetCapturedStdout();
  return run;
}

}  // namespace wafertlm::test
