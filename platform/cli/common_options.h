// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// What every command takes.
struct CommonOptions {
  bool is_quiet = false, is_verbose = false, has_no_colour = false;
  std::string json;         ///< where JSON goes: a file, - for the standard output; empty: not asked for
  std::string input_limit;  ///< of files that are kept in memory; empty: as it is
  bool json_in_place_of_text = false;  ///< the command prints JSON, which goes to the file `json`
};

/// Adds them to the program's help.
void add_common_options(CLI::App& app);

/// Takes them out of the words of a command line, whose commands `app` has: -q, -v, --no-color and
/// --input-limit SIZE anywhere, and `--json FILE` of those that only know to print JSON. FILE may stand
/// behind a space if it is - or ends in .json; else --json=FILE. @throws std::invalid_argument: -q and -v.
CommonOptions take_common_options(CLI::App& app, std::vector<std::string>& words);

/// While it lives, what is printed goes to a file. @throws std::invalid_argument: it cannot be written
class PrintedTo {
 public:
  explicit PrintedTo(const std::string& file);
  ~PrintedTo();
  PrintedTo(const PrintedTo&) = delete;
  PrintedTo& operator=(const PrintedTo&) = delete;

 private:
  int kept_;  // the standard output
};

}  // namespace wafertlm
