// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace wafertlm::test {

/// A command that ran in this process.
struct CommandRun {
  int exit_code = -1;   ///< -1: it refused
  std::string out;      ///< what it printed
  std::string refusal;  ///< why it refused, without "wafertlm: "
};

/// Runs what `add` (see Command) describes. @param line as typed behind `wafertlm`, or behind the command
/// that `add` is below
CommandRun run_command(std::function<int()> (*add)(CLI::App& app), const std::string& line);

}  // namespace wafertlm::test
