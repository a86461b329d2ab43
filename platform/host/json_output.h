// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wafertlm {

/// Of what a command writes as JSON: the schema of its values (see Fields).
using JsonSchema = std::function<nlohmann::ordered_json()>;

/// `--json FILE`, the same of all commands: results as JSON into a file, or with - (or nothing behind it)
/// to the standard output in place of the text. Both add `--json-schema` if there is a schema.
/// @param file is empty where it is not asked for. @param more what is in it beyond the text
CLI::Option* add_json_option(CLI::App& command, std::string& file, const JsonSchema& schema = nullptr,
                             const std::string& more = "");
/// The same of a command that prints JSON in place of its text; the command line leads it into the file.
CLI::Option* add_json_flag(CLI::App& command, bool& json, const JsonSchema& schema = nullptr,
                           const std::string& more = "");
/// That an option is one of these.
bool only_prints_json(CLI::Option& option);

/// As all JSON is printed: indented by one, and what is no UTF-8 replaced.
std::string json_text(const nlohmann::ordered_json& document);
void print_json(const nlohmann::ordered_json& document);
/// Writes it where `file` says. @return whether that is the standard output, which then gets no text
/// @throws std::invalid_argument, std::runtime_error: it cannot be written
bool write_json(const std::string& file, const nlohmann::ordered_json& document);

}  // namespace wafertlm
