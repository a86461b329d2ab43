// SPDX-License-Identifier: Apache-2.0
#include "platform/host/json_output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/describe/fields.h"
#include "platform/host/files.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"

namespace wafertlm {

namespace {

constexpr const char *kJson = "--json", *kPrintsOnly = "prints JSON only";

/// As `--version` of a program: it needs no other option, and `wafertlm schema` asks for it, too.
void add_schema_flag(CLI::App& command, const JsonSchema& schema) {
  if (!schema) return;
  std::string title = command.get_name();
  for (const CLI::App* above = command.get_parent(); above != nullptr; above = above->get_parent())
    title = above->get_name() + ' ' + title;
  command.set_version_flag(
      "--json-schema",
      [title, schema] {
        return results::schema::document("What `" + title + " --json` writes", schema()).dump(2);
      },
      option_row("--json-schema").meaning);
}

}  // namespace

CLI::Option* add_json_option(CLI::App& command, std::string& file, const JsonSchema& schema,
                             const std::string& more) {
  CLI::Option* const option =
      add_shared_option(command, kJson, file, more)->check(names_output(OutputKind::file));
  add_schema_flag(command, schema);
  return option;
}

CLI::Option* add_json_flag(CLI::App& command, bool& json, const JsonSchema& schema, const std::string& more) {
  const OptionRow& row = option_row(kJson);
  CLI::Option* const option =
      command
          .add_option_function<std::string>(
              row.names, [&json](const std::string&) { json = true; }, description_of(row, more))
          ->type_name(row.type)
          ->check(CLI::Validator([](const std::string&) { return std::string(); }, "", kPrintsOnly));
  add_schema_flag(command, schema);
  return option;
}

bool only_prints_json(CLI::Option& option) {
  try {
    option.get_validator(kPrintsOnly);
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& document) { fmt::print("{}", json_text(document)); }

bool write_json(const std::string& file, const nlohmann::ordered_json& document) {
  if (file == "-") {
    print_json(document);
    return true;
  }
  write_file(kJson, file, json_text(document));
  return false;
}

}  // namespace wafertlm
