// SPDX-License-Identifier: Apache-2.0
#include "platform/host/json_output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/host/files.h"

namespace wafertlm {

CLI::Option* add_json_option(CLI::App& command, std::string& file) {
  return command
      .add_option("--json", file, "Write JSON into this file; -, or nothing: print it in place of the text")
      ->type_name("FILE");
}

bool write_json(const std::string& file, const nlohmann::ordered_json& document) {
  const std::string text =
      document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (file == "-") {
    fmt::print("{}", text);
    return true;
  }
  require_writable_file("--json", file);
  write_file(file, text);
  return false;
}

}  // namespace wafertlm
