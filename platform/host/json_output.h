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
/// to the standard output in place of the text. @param file is empty where it is not asked for
CLI::Option* add_json_option(CLI::App& command, std::string& file, const JsonSchema& schema = nullptr);
/// `--json` of a command that prints JSON in place of its text. Both add `--json-schema`.
void add_json_flag(CLI::App& command, bool& json, const JsonSchema& schema,
                   const std::string& description = "Print JSON instead");

/// Writes it where `file` says. @return whether that is the standard output, which then gets no text
/// @throws std::invalid_argument, std::runtime_error: it cannot be written
bool write_json(const std::string& file, const nlohmann::ordered_json& document);

}  // namespace wafertlm
