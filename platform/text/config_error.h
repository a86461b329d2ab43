// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace wafertlm::config {

/// Where a value was written: a line of a file, or a command-line override (line 0).
struct SourceLocation {
  std::string source;  ///< file name as the user would type it, or "--set a.b.c"
  int line = 0;        ///< from 1; 0: the source has no lines
  int column = 0;      ///< from 1

  /// "file.yaml:12:5", or just the source.
  std::string text() const;
  /// "file.yaml:12" without folders (the same on every machine), or "--set".
  std::string short_text() const;
  /// Folder that relative paths written here refer to; "" (the current folder) for an override.
  std::string folder() const;
};

/// Bad input. what() is one line: "<place>: <what is wrong and what would be right>".
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const SourceLocation& place, const std::string& message);
  /// The same error with something to add at the end.
  ConfigError(const ConfigError& error, const std::string& addition)
      : std::runtime_error(error.what() + addition) {}
};

/// The text in single quotes, control characters escaped and long text cut, so that it stays on one line.
std::string quoted(const std::string& text);

}  // namespace wafertlm::config
