// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/row_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <regex>

namespace wafertlm::validate::steps {
namespace {

constexpr std::size_t kLongest = 500;  // the library's search is recursive

std::smatch search(const std::string& text, const char* expression) {
  std::smatch found;
  std::regex_search(text, found, std::regex(expression, std::regex::icase | std::regex::ECMAScript));
  return found;
}

}  // namespace

std::optional<std::string> match(const std::string& text, const char* expression) {
  const std::string part = text.substr(0, kLongest);
  const std::smatch found = search(part, expression);
  for (std::size_t group = found.size(); group-- > 0;)
    if (found[group].matched) return found[group].str();
  return std::nullopt;
}

bool says(const std::string& text, const char* expression) { return match(text, expression).has_value(); }

std::optional<double> number(const std::string& text, const char* expression) {
  std::optional<std::string> digits = match(text, expression);
  if (!digits || digits->empty()) return std::nullopt;
  digits->erase(std::remove(digits->begin(), digits->end(), ','), digits->end());
  char* end = nullptr;
  const double value = std::strtod(digits->c_str(), &end);
  if (end == digits->c_str()) return std::nullopt;
  return *end == 'k' || *end == 'K' ? value * 1024 : value;
}

}  // namespace wafertlm::validate::steps
