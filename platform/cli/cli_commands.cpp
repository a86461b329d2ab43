// SPDX-License-Identifier: Apache-2.0
// Commands about the command line itself: completion, man pages.
#include "platform/cli/cli_commands.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "platform/cli/completion.h"
#include "platform/cli/man_page.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"
#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

/// The command that the words name. @throws std::invalid_argument
const ShownCommand& named_command(const ShownCommand& root, const std::vector<std::string>& words) {
  const ShownCommand* found = &root;
  for (const std::string& word : words) {
    std::vector<std::string> names;
    const ShownCommand* below = nullptr;
    for (const ShownCommand& each : found->commands) {
      names.push_back(each.name);
      if (each.name == word) below = &each;
    }
    if (below == nullptr)
      throw std::invalid_argument("there is no command '" + found->path + " " + word + "'" +
                                  config::suggestion(word, names, "there are"));
    found = below;
  }
  return *found;
}

/// The words of a command, for instance: trace info.
struct NamedCommand {
  std::vector<std::string> words;
  std::string out;
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("COMMAND", words, "For instance: trace info; the program itself if not given");
    add_json_flag(command, json, nullptr, "commands and options with types and meanings");
  }
};

std::function<int()> add_help_command(CLI::App& app) {
  auto options = std::make_shared<NamedCommand>();
  CLI::App* command = app.add_subcommand("help", "Print the help of a command, as --help behind it does");
  options->add_to(*command);
  command->footer("Examples:\n  wafertlm help run\n  wafertlm help trace info");
  return [&app, options] {
    const ShownCommand root = shown_command(app);
    const ShownCommand& named = named_command(root, options->words);
    if (options->json) {
      print_json(to_json(named));
      return 0;
    }
    const CLI::App* shown = &app;
    for (const std::string& word : options->words) shown = shown->get_subcommand(word);
    // Not help(): that is of the command that was given, which is this one.
    fmt::print("{}", shown->get_formatter()->make_help(shown, named.path, CLI::AppFormatMode::Normal));
    return 0;
  };
}

std::function<int()> add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes this command line");
  command->add_option("SHELL", *shell, "Which shell")
      ->required()
      ->check(one_of_names({"bash", "zsh", "fish"}));
  add_json_flag(*command, *json);
  command->footer(
      "Examples:\n"
      "  source <(wafertlm completion bash)\n"
      "  wafertlm completion zsh > ~/.zfunc/_wafertlm\n"
      "  wafertlm completion fish > ~/.config/fish/completions/wafertlm.fish");
  return [&app, shell, json] {
    const ShownCommand root = shown_command(app);
    const std::string script = *shell == "bash"  ? bash_completion(root)
                               : *shell == "zsh" ? zsh_completion(root)
                                                 : fish_completion(root);
    fmt::print("{}", *json ? json_text({{"shell", *shell}, {"script", script}}) : script);
    return 0;
  };
}

std::function<int()> add_man_command(CLI::App& app) {
  auto options = std::make_shared<NamedCommand>();
  CLI::App* command = app.add_subcommand("man", "Print the man page of a command, or write those of all");
  options->add_to(*command);
  add_shared_option(*command, "--out", options->out, "a folder for the pages of all commands")
      ->check(names_output(OutputKind::folder));
  command->footer("Examples:\n  wafertlm man run | man -l -\n  wafertlm man --out share/man/man1");
  return [&app, options] {
    const ShownCommand root = shown_command(app);
    const auto all = flattened(root);
    if (!options->out.empty()) {
      if (!options->words.empty()) throw std::invalid_argument("--out writes all pages; leave COMMAND out");
      std::vector<std::pair<std::string, std::string>> files;
      for (const ShownCommand* each : all) files.emplace_back(man_name(*each) + ".1", man_page(*each));
      OutputFolder folder(options->out, "wafertlm man", "man");
      for (const auto& [name, text] : files) folder.write(name, text);
      folder.commit();
      nlohmann::ordered_json written = nlohmann::ordered_json::array();
      for (const auto& [name, text] : files) written.push_back(options->out + "/" + name);
      if (options->json) print_json({{"written", written}});
      return 0;
    }
    const ShownCommand& named = named_command(root, options->words);
    fmt::print("{}", options->json ? json_text(to_json(named)) : man_page(named));
    return 0;
  };
}

}  // namespace

const std::vector<Command>& cli_commands() {
  static const std::vector<Command> all = {{"help", add_help_command, "Tool"},
                                           {"completion", add_completion_command, "Tool"},
                                           {"man", add_man_command, "Tool"}};
  return all;
}

}  // namespace wafertlm
