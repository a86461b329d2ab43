// SPDX-License-Identifier: Apache-2.0
#include "platform/text/config_error.h"

#include <fmt/format.h>

#include <filesystem>

namespace wafertlm::config {

namespace {
std::string one_line(const std::string& text) {
  std::string line;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '\n')
      line += "\\n";
    else if (character == '\t')
      line += "\\t";
    else if (code < 0x20 || code == 0x7f)
      line += fmt::format("\\x{:02x}", code);
    else
      line += character;
  }
  return line;
}
}  // namespace

std::string SourceLocation::text() const {
  return line == 0 ? source : fmt::format("{}:{}:{}", source, line, column);
}

std::string SourceLocation::short_text() const {
  if (line == 0) return source.substr(0, source.find(' '));
  return fmt::format("{}:{}", std::filesystem::path(source).filename().string(), line);
}

std::string SourceLocation::folder() const {
  return line == 0 ? std::string() : std::filesystem::path(source).parent_path().string();
}

ConfigError::ConfigError(const SourceLocation& place, const std::string& message)
    : std::runtime_error(one_line(place.text() + ": " + message)) {}

std::string quoted(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  const std::string line = one_line(text);
  return line.size() <= kLongest ? "'" + line + "'" : "'" + line.substr(0, kLongest) + "…'";
}

}  // namespace wafertlm::config
