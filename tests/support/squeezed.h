// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <regex>
#include <string>

namespace wafertlm::test {

/// A text whose tables may have columns of any width: one space for several, none beside
/// the ends of lines.
inline std::string squeezed(const std::string& text) {
  const std::string narrow = std::regex_replace(text, std::regex(" +"), " ");
  const std::string lines = std::regex_replace(narrow, std::regex(" ?\n ?"), "\n");
  return lines.rfind(' ', 0) == 0 ? lines.substr(1) : lines;
}

}  // namespace wafertlm::test
