// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "platform/commands/check/all_kinds.h"
#include "platform/commands/check/elaboration.h"
#include "platform/describe/document.h"
#include "platform/host/files.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/results/results.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/json_schema.h"
#include "platform/text/aligned.h"

namespace wafertlm {
namespace {

struct Options : config::CheckRequest {
  std::string costs;
};

int run(const Options& options) {
  const config::FileKind& kind = config::kind_of(config::load_document(options.file), all_file_kinds());
  if (!options.costs.empty()) {
    fmt::print("{}", platform_costs(options, kind, options.costs));
    return 0;
  }
  if (!kind.takes_overrides && (!options.overrides.empty() || options.resolved))
    throw std::invalid_argument("--set and --resolved have no effect on this kind of file; leave them out");
  kind.check(options, std::cout);
  if (!options.resolved) fmt::print("ok\n");
  return 0;
}

/// A line for each kind of file.
std::string kinds_text() {
  TextRows rows;
  for (const config::FileKind& kind : all_file_kinds())
    rows.push_back({kind.key(), kind.summary + (kind.command.empty() ? "" : " (" + kind.command + ")")});
  return aligned(rows, "l");
}

std::vector<std::string> keys_of_kinds() {
  std::vector<std::string> keys;
  for (const config::FileKind& kind : all_file_kinds()) keys.push_back(kind.key());
  return keys;
}

/// Of all kinds of files, or of one.
std::string schema_text(const std::string& key) {
  for (const config::FileKind& kind : all_file_kinds())
    if (kind.key() == key) return config::json_schema(kind);
  return config::json_schema(all_file_kinds());
}

/// Of what a command writes with --json. @throws std::invalid_argument: there is no such command
std::string json_schema_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  try {
    for (const std::string& word : words) command = command->get_subcommand(word);
  } catch (const CLI::OptionNotFound&) {
    throw std::invalid_argument(
        fmt::format("there is no command '{}' (`wafertlm --help` lists them)", fmt::join(words, " ")));
  }
  const std::string schema = command->get_option_no_throw("--json-schema") ? command->version() : "";
  if (schema.empty())
    throw std::invalid_argument(fmt::format("`wafertlm {}` has no --json", fmt::join(words, " ")));
  return schema;
}

}  // namespace

std::function<int()> add_check_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a YAML file without running: a platform, an experiment, a study and all others");
  add_file(*command, "FILE", options->file, "YAML file", config::preset_folders);
  command->add_option("--set", options->overrides, "Change a key, as in `run`");
  command->add_flag("--resolved", options->resolved,
                    "Print every value with its origin instead of a summary");
  command
      ->add_option("--costs", options->costs,
                   "Print what the platform costs and draws by this table instead (configs/costs)")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Also an experiment that needs more memory than there is");
  command->footer([] {
    return "The key at the top tells the kind of file (and the command that takes it):\n" + kinds_text();
  });
  command->footer("Example:\n  wafertlm check configs/experiments/resnet50_dp20_mesh_5x4.yaml");
  return [options] { return run(*options); };
}

std::function<int()> add_schema_command(CLI::App& app) {
  struct SchemaOptions {
    bool of_results = false;
    std::vector<std::string> words;
    std::string kind, out;
  };
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of all YAML files, for editors");
  command->add_option("COMMAND", options->words, "Of what a command writes with --json instead: trace stats");
  command->add_flag("--results", options->of_results,
                    "Print that of results.json instead, for programs that read it");
  command->add_option("--kind", options->kind, "Only of one kind of file, told by the key at its top")
      ->check(one_of_names(keys_of_kinds))
      ->excludes("--results", "COMMAND");
  command->add_option("--out", options->out, "Write it into this file instead")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command->footer(
      "Example, with an editor that has a YAML language server:\n"
      "  wafertlm schema --out wafertlm.schema.json\n"
      "and as the first line of a file: # yaml-language-server: $schema=wafertlm.schema.json");
  return [&app, options] {
    const std::string text = (!options->words.empty() ? json_schema_of(app, options->words)
                              : options->of_results   ? results_schema().dump(2)
                                                      : schema_text(options->kind)) +
                             "\n";
    if (options->out.empty())
      fmt::print("{}", text);
    else
      write_file("--out", options->out, text);
    return 0;
  };
}

}  // namespace wafertlm
