// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/row_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <regex>
#include <utility>

namespace wafertlm::validate {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

namespace {

constexpr std::size_t kLongest = 500;  // the library's search is recursive

const std::regex& compiled(const std::string& pattern) {
  static std::map<std::string, std::regex> all;
  const auto found = all.find(pattern);
  if (found != all.end()) return found->second;
  return all.emplace(pattern, std::regex(pattern, std::regex::icase | std::regex::ECMAScript)).first->second;
}

}  // namespace

bool says(const std::string& text, const std::string& pattern) { return match(text, pattern).has_value(); }

std::optional<std::string> match(const std::string& text, const std::string& pattern) {
  const std::string part = text.substr(0, kLongest);
  std::smatch found;
  std::regex_search(part, found, compiled(pattern));
  for (std::size_t group = found.size(); group-- > 0;)
    if (found[group].matched) return found[group].str();
  return std::nullopt;
}

std::string said(const std::string& text, const std::string& pattern) {
  return match(text, pattern).value_or("");
}

std::optional<double> number(const std::string& text, const std::string& pattern) {
  std::optional<std::string> digits = match(text, pattern);
  if (!digits || digits->empty()) return std::nullopt;
  digits->erase(std::remove(digits->begin(), digits->end(), ','), digits->end());
  char* end = nullptr;
  const double value = std::strtod(digits->c_str(), &end);
  if (end == digits->c_str()) return std::nullopt;
  return *end == 'k' || *end == 'K' ? value * 1024 : value;
}

std::string in_ascii(std::string text) {
  static const std::pair<const char*, const char*> signs[] = {
      {"×", "x"}, {"·", "x"}, {"³", "^3"}, {"µ", "u"}, {"μ", "u"}};
  for (const auto& [sign, ascii] : signs)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
      text.replace(at, std::string(sign).size(), ascii);
  return text;
}

std::uint32_t ranks_of(const ValidationRow& row) {
  if (says(row.ranks, "^\\s*(one|a|single)\\b")) return 1;
  return leading_count(row.ranks).value_or(0);
}

bool is_wafer(const ValidationRow& row) {
  return says(row.system + " " + row.topology, "cerebras|\\bWSE|\\bCS-\\d|wafer|dojo");
}

std::optional<std::uint32_t> leading_count(const std::string& text) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(R"(^\s*(\d{1,6})(?:\s*x\s*(\d{1,4}))?\b)")))
    return std::nullopt;
  const auto more = match[2].matched ? static_cast<std::uint32_t>(std::stoul(match[2])) : 1U;
  return static_cast<std::uint32_t>(std::stoul(match[1])) * more;
}

std::optional<std::uint64_t> bytes_of(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"b", 1},     {"bytes", 1},    {"kb", 1e3},        {"mb", 1e6},
      {"gb", 1e9},  {"kib", 1024.},  {"mib", 1048576.},  {"gib", 1073741824.},
      {"k", 1024.}, {"m", 1048576.}, {"g", 1073741824.}, {"tib", 1099511627776.}};
  std::smatch match;
  if (std::regex_match(text, std::regex(R"(\s*\d{1,15}\s*)"))) return std::stoull(text);
  if (!std::regex_match(text, match, std::regex(R"(\s*([\d.]+)\s*([A-Za-z]+)\b.*)"))) return std::nullopt;
  const auto unit = kUnits.find(lower(match[2]));
  if (unit == kUnits.end()) return std::nullopt;
  const double bytes = std::stod(match[1]) * unit->second;
  if (!(bytes >= 1) || bytes > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(bytes));
}

namespace {

/// Of the first word of `unit` that is in the table.
std::optional<double> factor_of(const std::string& unit, const std::map<std::string, double>& table) {
  static const std::regex word("[^\\s,;()]+");
  for (std::sregex_iterator each(unit.begin(), unit.end(), word), end; each != end; ++each)
    if (const auto found = table.find(each->str()); found != table.end()) return found->second;
  return std::nullopt;
}

}  // namespace

std::optional<double> time_unit(const std::string& unit) {
  return factor_of(unit, {{"ns", 1e-9},
                          {"us", 1e-6},
                          {"µs", 1e-6},
                          {"μs", 1e-6},
                          {"ms", 1e-3},
                          {"s", 1},
                          {"usec", 1e-6},
                          {"msec", 1e-3},
                          {"sec", 1},
                          {"seconds", 1},
                          {"microseconds", 1e-6},
                          {"milliseconds", 1e-3}});
}

std::optional<double> rate_unit(const std::string& unit) {
  return factor_of(unit, {{"MB/s", 1e6},
                          {"GB/s", 1e9},
                          {"TB/s", 1e12},
                          {"GBps", 1e9},
                          {"TBps", 1e12},
                          {"Gb/s", 1e9 / 8},
                          {"Gbps", 1e9 / 8},
                          {"Tb/s", 1e12 / 8},
                          {"Tbps", 1e12 / 8},
                          {"GiB/s", 1073741824.}});
}

bool is_part(const std::string& unit) { return says(unit, "^\\s*(%|percent|ratio|x\\b|-|times|fraction)"); }

}  // namespace wafertlm::validate
