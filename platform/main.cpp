// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <functional>
#include <systemc>

#include "platform/traffic/traffic_command.h"

int sc_main(int argc, char** argv) {
  CLI::App app("WaferTLM");
  const std::function<int()> run_traffic = wafertlm::add_traffic_command(app);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run_traffic();
}
