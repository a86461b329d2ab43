// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "platform/commands/check/all_kinds.h"
#include "platform/commands/check/elaboration.h"
#include "platform/describe/document.h"
#include "platform/describe/node_json.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/results/results.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/json_schema.h"
#include "platform/text/aligned.h"

namespace wafertlm {
namespace {

struct Options : config::CheckRequest {
  std::string costs;
  bool json = false;
};

/// What a check says, a line each: {"what": "class", "is": "mp  virtual channels 0 to 0"}.
nlohmann::ordered_json facts_of(const std::string& text) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    facts.push_back({{"what", line.substr(0, end)}, {"is", line.substr(next)}});
  }
  return facts;
}

int run(const Options& options) {
  const config::FileKind& kind = config::kind_of(config::load_document(options.file), all_file_kinds());
  nlohmann::ordered_json json{{"file", options.file}, {"kind", kind.key()}, {"ok", true}};
  if (!options.costs.empty()) {
    const std::string text = platform_costs(options, kind, options.costs);
    json["costs"] = facts_of(text);
    fmt::print("{}", options.json ? json_text(json) : text);
    return 0;
  }
  if (!kind.takes_overrides && (!options.overrides.empty() || options.resolved))
    throw std::invalid_argument("--set and --resolved have no effect on this kind of file; leave them out");
  if (!options.json) {
    kind.check(options, std::cout);
    if (!options.resolved) fmt::print("ok\n");
    return 0;
  }
  std::ostringstream text;
  kind.check(options, text);
  if (options.resolved)
    json["resolved"] = config::to_json(config::parse_override_value(text.str(), "resolved"));
  else
    json["facts"] = facts_of(text.str());
  print_json(json);
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
    throw std::invalid_argument(fmt::format("`wafertlm {}` has no --json-schema", fmt::join(words, " ")));
  return schema;
}

}  // namespace

std::function<int()> add_check_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a YAML file without running: a platform, an experiment, a study and all others");
  add_file(*command, "FILE", options->file, "YAML file", config::preset_folders);
  add_set_option(
      *command, options->overrides, [] { return config::experiment_type()->all_paths(); },
      "of a platform, workload, experiment or study");
  command->add_flag("--resolved", options->resolved,
                    "Print every value with its origin instead of a summary");
  add_shared_option(*command, "--costs", options->costs,
                    "says what the platform costs and draws by this table instead")
      ->transform(preset_or_file([] { return std::vector<std::string>{"costs"}; }));
  add_shared_flag(*command, "--force", options->force, "an experiment that needs more memory than there is");
  add_json_flag(*command, options->json);
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
    bool json = false;
  };
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of all YAML files, for editors");
  command->add_option("COMMAND", options->words, "Of what a command writes with --json instead: trace stats");
  command->add_flag("--results", options->of_results,
                    "Print that of results.json instead, for programs that read it");
  command->add_option("--kind", options->kind, "Only of one kind of file, told by the key at its top")
      ->check(one_of_names(keys_of_kinds))
      ->excludes("--results", "COMMAND");
  add_shared_option(*command, "--out", options->out, "a file; the terminal if not given")
      ->check(names_output(OutputKind::file));
  add_json_flag(*command, options->json);
  command->footer(
      "Example, with an editor that has a YAML language server:\n"
      "  wafertlm schema --out wafertlm.schema.json\n"
      "and as the first line of a file: # yaml-language-server: $schema=wafertlm.schema.json");
  return [&app, options] {
    const std::string text = (!options->words.empty() ? json_schema_of(app, options->words)
                              : options->of_results   ? results_schema().dump(2)
                                                      : schema_text(options->kind)) +
                             "\n";
    if (!options->out.empty()) write_file("--out", options->out, text);
    if (options->json && !options->out.empty()) print_json({{"written", {options->out}}});
    if (options->out.empty()) fmt::print("{}", text);
    return 0;
  };
}

}  // namespace wafertlm
