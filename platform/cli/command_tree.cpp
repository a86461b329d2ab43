// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/command_tree.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/host/options.h"

namespace wafertlm {
namespace {

ShownOption shown_option(const CLI::Option& option) {
  ShownOption shown;
  shown.description = option.get_description();
  shown.is_required = option.get_required();
  shown.is_positional = option.get_positional();
  if (shown.is_positional) {
    shown.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) shown.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) shown.names.push_back("--" + name);
  }
  if (option.get_type_size() == 0 || option.get_expected_max() == 0) return shown;  // a flag
  shown.offers = completions_of(option);
  // "TEXT:{a, b}": the type, and what a validator takes.
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  shown.value = type.substr(0, type.find(':'));
  if (shown.value.empty()) shown.value = "VALUE";
  if (open != std::string::npos && close != std::string::npos) {
    std::istringstream choices(type.substr(open + 1, close - open - 1));
    for (std::string each; std::getline(choices, each, ',');)
      shown.choices.push_back(CLI::detail::trim_copy(each));
  }
  return shown;
}

void append(std::vector<const ShownCommand*>& all, const ShownCommand& command) {
  all.push_back(&command);
  for (const ShownCommand& each : command.commands) append(all, each);
}

/// The lines of a footer that run `path`, with what goes on after a backslash.
std::string examples_of(const std::string& path, const std::string& footer) {
  std::string found;
  bool goes_on = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (goes_on || (line + " ").rfind("  " + path + " ", 0) == 0) {
      found += "\n" + line;
      goes_on = line.back() == '\\';
    }
  }
  return found;
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

}  // namespace

std::string footer_of(const CLI::App& app) {
  std::string footer = app.get_footer();
  const std::string path = path_of(app);
  std::string examples = examples_of(path, footer);
  if (!examples.empty()) return footer;
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent())
    examples += examples_of(path, above->get_footer());
  if (examples.empty()) return footer;
  return footer + (footer.empty() ? "" : "\n") + "Examples:" + examples;
}

ShownCommand shown_command(const CLI::App& app, const std::string& before) {
  ShownCommand shown;
  shown.name = app.get_name();
  shown.path = before.empty() ? shown.name : before + " " + shown.name;
  shown.description = app.get_description();
  shown.footer = footer_of(app);
  shown.group = app.get_group();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) shown.options.push_back(shown_option(*option));
  for (const CLI::App* command : app.get_subcommands(
           [](const CLI::App* each) { return !each->get_name().empty() && !each->get_group().empty(); }))
    shown.commands.push_back(shown_command(*command, shown.path));
  return shown;
}

std::vector<const ShownCommand*> flattened(const ShownCommand& root) {
  std::vector<const ShownCommand*> all;
  append(all, root);
  return all;
}

nlohmann::ordered_json to_json(const ShownCommand& command) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array(), commands = options;
  for (const ShownOption& each : command.options) {
    nlohmann::ordered_json option{{"names", each.names},
                                  {"value", each.value},
                                  {"description", each.description},
                                  {"required", each.is_required},
                                  {"positional", each.is_positional}};
    if (!each.choices.empty()) option["choices"] = each.choices;
    options.push_back(option);
  }
  for (const ShownCommand& each : command.commands) commands.push_back(to_json(each));
  return {{"command", command.path},
          {"group", command.group},
          {"description", command.description},
          {"options", options},
          {"commands", commands}};
}

}  // namespace wafertlm
