// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <optional>

namespace wafertlm {

/// What an option names that a command writes: a file (or -, the standard output), a folder, or the common
/// start of files.
enum class OutputKind { file, folder, prefix };

/// Marks such an option: what it names is then checked for every command (require_outputs).
CLI::Validator names_output(OutputKind kind);

/// Nothing: the option is not marked.
std::optional<OutputKind> output_kind(CLI::Option& option);

}  // namespace wafertlm
