// SPDX-License-Identifier: Apache-2.0
#include "platform/host/json_output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/describe/fields.h"
#include "platform/host/files.h"
#include "platform/host/output_option.h"

namespace wafertlm {

namespace {

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
      "Print the JSON Schema of that");
}

}  // namespace

CLI::Option* add_json_option(CLI::App& command, std::string& file, const JsonSchema& schema) {
  CLI::Option* const option =
      command
          .add_option("--json", file,
                      "Write JSON into this file; -, or nothing: print it in place of the text")
          ->type_name("FILE")
          ->check(names_output(OutputKind::file));
  add_schema_flag(command, schema);
  return option;
}

void add_json_flag(CLI::App& command, bool& json, const JsonSchema& schema, const std::string& description) {
  command.add_flag("--json", json, description);
  add_schema_flag(command, schema);
}

bool write_json(const std::string& file, const nlohmann::ordered_json& document) {
  const std::string text =
      document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (file == "-") {
    fmt::print("{}", text);
    return true;
  }
  write_file("--json", file, text);
  return false;
}

}  // namespace wafertlm
