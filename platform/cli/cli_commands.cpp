// SPDX-License-Identifier: Apache-2.0
// Commands about the command line itself: completion, man pages.
#include "platform/cli/cli_commands.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <stdexcept>
#include <utility>

#include "platform/cli/completion.h"
#include "platform/cli/man_page.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"

namespace wafertlm {
namespace {

std::function<int()> add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes this command line");
  command->add_option("SHELL", *shell, "Which shell")
      ->required()
      ->check(one_of_names({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(wafertlm completion bash)\n"
      "  wafertlm completion zsh > ~/.zfunc/_wafertlm\n"
      "  wafertlm completion fish > ~/.config/fish/completions/wafertlm.fish");
  return [&app, shell] {
    const ShownCommand root = shown_command(app);
    fmt::print("{}", *shell == "bash"  ? bash_completion(root)
                     : *shell == "zsh" ? zsh_completion(root)
                                       : fish_completion(root));
    return 0;
  };
}

std::function<int()> add_man_command(CLI::App& app) {
  struct Options {
    std::vector<std::string> words;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("man", "Print the man page of a command, or write those of all");
  command->add_option("COMMAND", options->words, "For instance: trace info; the program itself if not given");
  command->add_option("--out", options->out, "Write the pages of all commands into this folder instead")
      ->type_name("DIR")
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
      return 0;
    }
    std::string path = root.path;
    for (const std::string& word : options->words) path += " " + word;
    for (const ShownCommand* each : all) {
      if (each->path != path) continue;
      fmt::print("{}", man_page(*each));
      return 0;
    }
    throw std::invalid_argument("there is no command '" + path + "' (`wafertlm --help` lists them)");
  };
}

}  // namespace

const std::vector<Command>& cli_commands() {
  static const std::vector<Command> all = {{"completion", add_completion_command}, {"man", add_man_command}};
  return all;
}

}  // namespace wafertlm
