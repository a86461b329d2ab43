// SPDX-License-Identifier: Apache-2.0
#include "platform/text/aligned.h"

#include <algorithm>

namespace wafertlm {

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string aligned(const TextRows& rows, std::string_view sides, std::size_t indent,
                    std::vector<std::size_t> least) {
  std::vector<std::size_t>& widths = least;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    const char* between = "";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string fill(widths[i] - text_width(row[i]), ' ');
      line += between + (sides[std::min(i, sides.size() - 1)] == 'r' ? fill + row[i] : row[i] + fill);
      between = "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace wafertlm
