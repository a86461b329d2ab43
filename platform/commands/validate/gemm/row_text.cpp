// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/gemm/row_text.h"

#include <map>
#include <regex>
#include <utility>

namespace wafertlm::validate {
namespace {

const std::regex& compiled(const char* pattern) {
  static std::map<std::string, std::regex> all;
  const auto found = all.find(pattern);
  if (found != all.end()) return found->second;
  return all.emplace(pattern, std::regex(pattern, std::regex::icase | std::regex::ECMAScript)).first->second;
}

}  // namespace

bool says(const std::string& text, const char* pattern) { return std::regex_search(text, compiled(pattern)); }

std::string said(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, compiled(pattern)) ? match[1].str() : "";
}

std::string in_ascii(std::string text) {
  static const std::pair<const char*, const char*> signs[] = {
      {"×", "x"}, {"·", "x"}, {"³", "^3"}, {"µ", "u"}, {"μ", "u"}};
  for (const auto& [sign, ascii] : signs)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
      text.replace(at, std::string(sign).size(), ascii);
  return text;
}

unsigned ranks_of(const ValidationRow& row) {
  if (says(row.ranks, "^\\s*(one|a|single)\\b")) return 1;
  const std::string number = said(row.ranks, "^\\s*(\\d{1,6})\\b(?!\\s*x)");
  return number.empty() ? 0 : static_cast<unsigned>(std::stoul(number));
}

bool is_wafer(const ValidationRow& row) {
  return says(row.system + " " + row.topology, "cerebras|\\bWSE|\\bCS-\\d|wafer|dojo");
}

}  // namespace wafertlm::validate
