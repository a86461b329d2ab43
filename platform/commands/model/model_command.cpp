// SPDX-License-Identifier: Apache-2.0
// `wafertlm model NAME`: one model by itself, without a run.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "platform/commands/command.h"
#include "platform/commands/model/model_commands.h"

namespace wafertlm {

std::function<int()> add_model_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "model", "A model by itself: FRED's switches, HBM, a memory engine, a wafer of cores");
  command->require_subcommand(1);
  command->footer("Example:\n  wafertlm model memory stream hbm3 --stacks 4 --writes 33");
  std::map<std::string, std::function<int()>> runs;
  for (const Command& each :
       {Command{"fred", add_fred_command}, Command{"memory", add_memory_command},
        Command{"memory-engine", add_memory_engine_command}, Command{"cores", add_cores_command}})
    runs[each.name] = each.add(*command);
  return [command, runs] { return runs.at(command->get_subcommands().front()->get_name())(); };
}

}  // namespace wafertlm
