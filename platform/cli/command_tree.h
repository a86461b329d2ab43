// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// An option as shells and man pages need it, from CLI11's definition.
struct ShownOption {
  std::vector<std::string> names;  ///< "-h", "--help"; of a positional its name
  std::string value;               ///< what stands for the value; "": a flag
  std::string description;
  std::vector<std::string> choices;  ///< all values there are; empty: free
  std::vector<std::string> offers;   ///< values that a shell offers beside files: presets, keys
  bool is_required = false, is_positional = false;
};

/// A command with its full name ("wafertlm trace info"), and those below it. Hidden ones are left out.
struct ShownCommand {
  std::string path, name, description, footer, group;
  std::vector<ShownOption> options;
  std::vector<ShownCommand> commands;
};

/// The footer of a command; without an example in it, those of its own in the footers above it are added.
std::string footer_of(const CLI::App& app);

ShownCommand shown_command(const CLI::App& app, const std::string& before = "");

/// The command and all below it, in order of definition.
std::vector<const ShownCommand*> flattened(const ShownCommand& root);

/// The command and all below it as JSON: what `wafertlm man --json` prints.
nlohmann::ordered_json to_json(const ShownCommand& command);

}  // namespace wafertlm
