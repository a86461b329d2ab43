// SPDX-License-Identifier: Apache-2.0
// The one table of options that several commands take: a name has one meaning.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace wafertlm {

struct OptionRow {
  const char* names;    ///< "-o,--out"
  const char* type;     ///< what stands for the value: "PATH"; "": a flag
  const char* meaning;  ///< how its description begins; a command adds its own part behind a colon
};
const std::vector<OptionRow>& option_rows();
/// @param name "--out". @throws std::logic_error: it has no row
const OptionRow& option_row(const std::string& name);
/// "Where to write: a page".
std::string description_of(const OptionRow& row, const std::string& more);

/// Adds the option of the table. @param more what this command adds to its meaning
template <class T>
CLI::Option* add_shared_option(CLI::App& command, const std::string& name, T& value,
                               const std::string& more = "") {
  const OptionRow& row = option_row(name);
  return command.add_option(row.names, value, description_of(row, more))->type_name(row.type);
}
CLI::Option* add_shared_flag(CLI::App& command, const std::string& name, bool& value,
                             const std::string& more = "");

/// Words, asked for when they are needed.
using WordList = std::function<std::vector<std::string>()>;
/// `--set KEY=VALUE`, as often as one likes. @param keys that a shell offers
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& overrides, const WordList& keys,
                            const std::string& more = "");
/// `--jobs N`: all cores if not given.
CLI::Option* add_jobs_option(CLI::App& command, unsigned& jobs, const std::string& more = "");
unsigned host_cores();

/// Of an option of a time: "600s". @throws std::invalid_argument that names the option
double seconds_of(const std::string& option, const std::string& text);

/// Marks an option with words that a shell offers for its value; others may be typed.
CLI::Validator completes(const WordList& words);
/// Of a marked option; empty of others.
std::vector<std::string> completions_of(const CLI::Option& option);

/// Former names of options: whoever types one is told the new one.
struct FormerOption {
  const char *command, *former, *now;
};
/// "; it is called --x now", or empty.
std::string renaming_of_option(const std::string& command, const std::string& option);

}  // namespace wafertlm
