// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace wafertlm::pytorch {
namespace {

[[noreturn]] void refuse(std::string_view text, const char* wanted) {
  constexpr std::size_t kLongest = 40;
  throw std::invalid_argument("\"" + std::string(text.substr(0, kLongest)) + "\" is not " + wanted);
}

constexpr const char* kWantedTime = "a time in microseconds";

/// With an exponent: as good as a double is.
std::int64_t rounded(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end) * 1000;
  if (end != copy.c_str() + copy.size() || !(std::abs(value) < 0x1p62)) refuse(text, kWantedTime);
  return std::llround(value);
}

}  // namespace

std::int64_t nanoseconds(std::string_view text, bool& has_fraction) {
  constexpr std::size_t kFractionDigits = 3;
  if (text.empty() || text.find_first_of("eEIN") != std::string_view::npos) return rounded(text);
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  std::uint64_t value = 0;
  const std::string_view whole = text.substr(0, point);
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || end != whole.data() + whole.size()) refuse(text, kWantedTime);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 2000)
    refuse(text, kWantedTime);
  std::uint64_t fraction = 0;
  for (std::size_t digit = 0; digit < kFractionDigits; ++digit) {
    const std::size_t at = point + 1 + digit;
    const bool there = point != std::string_view::npos && at < text.size();
    if (there && (text[at] < '0' || text[at] > '9')) refuse(text, kWantedTime);
    fraction = fraction * 10 + (there ? static_cast<std::uint64_t>(text[at] - '0') : 0);
  }
  if (fraction != 0) has_fraction = true;
  const auto result = static_cast<std::int64_t>(value * 1000 + fraction);
  return negative ? -result : result;
}

std::uint64_t whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(text, "a whole number from 0 on");
  return value;
}

std::uint32_t whole_number_32(std::string_view text) {
  const std::uint64_t value = whole_number(text);
  if (value > std::numeric_limits<std::uint32_t>::max()) refuse(text, "a number of 32 bits");
  return static_cast<std::uint32_t>(value);
}

}  // namespace wafertlm::pytorch
