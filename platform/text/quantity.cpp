// SPDX-License-Identifier: Apache-2.0
#include "platform/text/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "platform/text/config_error.h"
#include "platform/text/suggest.h"
#include "tlm/kernel/units.h"

namespace wafertlm::config {

namespace {

/// "1.50" is the digits 15 and one decimal.
struct Decimal {
  std::string digits;  // without leading zeros; empty: zero
  int decimals = 0;    // of these digits behind the point
};

struct Split {
  Decimal number;
  const Unit* unit = nullptr;
};

bool is_digit(char character) { return character >= '0' && character <= '9'; }

[[noreturn]] void fail(const Dimension& dimension, std::string_view text, const std::string& why) {
  const char* const separator = why.back() == '?' ? "" : ";";
  throw QuantityError(fmt::format("{} {}{} expected {} such as '{}' (units: {})", quoted(std::string(text)),
                                  why, separator, dimension.with_article(), dimension.example,
                                  listed(dimension.unit_names())));
}

const Dimension* dimension_of(std::string_view unit_name) {
  for (const Dimension* dimension :
       {&bandwidth_dimension(), &time_dimension(), &size_dimension(), &compute_rate_dimension(),
        &energy_per_bit_dimension(), &power_dimension()})
    for (const Unit& unit : dimension->units)
      if (unit.name == unit_name) return dimension;
  return nullptr;
}

const Unit* find_unit(const Dimension& dimension, std::string_view text, std::string_view name) {
  for (const Unit& unit : dimension.units)
    if (unit.name == name) return &unit;
  if (name.empty()) fail(dimension, text, "has no unit");
  if (const Dimension* other = dimension_of(name))
    fail(dimension, text, fmt::format("has '{}', a unit of {}", name, other->name));
  fail(dimension, text,
       fmt::format("has the unknown unit {}{}", quoted(std::string(name)),
                   did_you_mean(std::string(name), dimension.unit_names())));
}

Decimal parse_decimal(std::string_view text) {
  Decimal decimal;
  const std::size_t point = text.find('.');
  decimal.digits = std::string(text.substr(0, point));
  if (point != std::string_view::npos) {
    std::string_view fraction = text.substr(point + 1);
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    decimal.digits += fraction;
    decimal.decimals = static_cast<int>(fraction.size());
  }
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

Split split(const Dimension& dimension, std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0) {
    const bool negative = text.size() > 1 && text[0] == '-' && is_digit(text[1]);
    fail(dimension, text, negative ? "is negative" : "does not start with a number");
  }
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    ++end;
    while (end < text.size() && is_digit(text[end])) ++end;
  }
  std::string_view unit = text.substr(end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  return {parse_decimal(text.substr(0, end)), find_unit(dimension, text, unit)};
}

/// The digits of a whole number, `decimals` of them behind a point, without zeros at the end.
std::string with_point(std::string digits, int decimals) {
  const auto places = static_cast<std::size_t>(decimals);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places == 0) return digits;
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

/// Exponent e of a factor that is 10^e, or -1.
int power_of_ten(std::uint64_t factor) {
  int exponent = 0;
  for (; factor % 10 == 0; factor /= 10) ++exponent;
  return factor == 1 ? exponent : -1;
}

}  // namespace

std::uint64_t parse_whole(const Dimension& dimension, std::string_view text) {
  const auto [number, unit] = split(dimension, text);
  constexpr Uint128 kLargest = ~Uint128{0};
  const std::string above = fmt::format("is above 2^64-1 {}", dimension.base);
  const std::string broken = fmt::format("is not a whole number of {}", dimension.base);
  Uint128 value = unit->factor;
  Uint128 mantissa = 0;
  for (const char digit : number.digits) {
    if (mantissa > (kLargest - 9) / 10) fail(dimension, text, number.decimals > 0 ? broken : above);
    mantissa = mantissa * 10 + static_cast<unsigned>(digit - '0');
  }
  // Cancel against the decimals and the divisor first: what is left over is not whole, and the product is
  // small.
  Uint128 divisor = unit->divisor;
  for (int i = 0; i < number.decimals; ++i) {
    if (divisor > kLargest / 10) fail(dimension, text, broken);
    divisor *= 10;
  }
  for (const unsigned prime : {2U, 5U}) {
    for (; divisor % prime == 0 && value % prime == 0; divisor /= prime) value /= prime;
    for (; divisor % prime == 0 && mantissa % prime == 0 && mantissa != 0; divisor /= prime)
      mantissa /= prime;
  }
  if (mantissa == 0) return 0;
  if (divisor != 1) fail(dimension, text, broken);
  if (mantissa > std::numeric_limits<std::uint64_t>::max() / value) fail(dimension, text, above);
  return static_cast<std::uint64_t>(mantissa * value);
}

double parse_real(const Dimension& dimension, std::string_view text) {
  const auto [number, unit] = split(dimension, text);
  if (number.digits.empty()) return 0.0;
  const std::string scientific = fmt::format("{}e{}", number.digits, unit->exponent - number.decimals);
  double value = 0;
  const auto result = std::from_chars(scientific.data(), scientific.data() + scientific.size(), value);
  if (result.ec != std::errc()) fail(dimension, text, "is too large or too small for a double");
  return value;
}

std::string format_whole(const Dimension& dimension, std::uint64_t value) {
  std::string best;
  for (const Unit& unit : dimension.units) {
    if (!unit.canonical || (value < unit.factor && unit.factor != 1)) continue;
    const int exponent = power_of_ten(unit.factor);
    if (exponent < 0 && value % unit.factor != 0) continue;
    const std::string number =
        exponent < 0 ? std::to_string(value / unit.factor) : with_point(std::to_string(value), exponent);
    const std::string text = fmt::format("{} {}", number, unit.name);
    // Of equally short texts the larger unit.
    if (best.empty() || text.size() <= best.size()) best = text;
  }
  return best;
}

std::string format_real(const Dimension& dimension, double value) {
  const Unit* unit = nullptr;  // the largest that leaves a number of at least 1
  double scale = 0;
  for (const Unit& candidate : dimension.units) {
    const std::string one = fmt::format("1e{}", candidate.exponent);
    std::from_chars(one.data(), one.data() + one.size(), scale);
    if (unit == nullptr || value >= scale) unit = &candidate;
  }
  std::array<char, 64> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view scientific(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  const std::size_t mark = scientific.find('e');
  const Decimal mantissa = parse_decimal(scientific.substr(0, mark));
  if (mantissa.digits.empty()) return fmt::format("0 {}", unit->name);
  const int exponent =
      std::stoi(std::string(scientific.substr(mark + 1))) - mantissa.decimals - unit->exponent;
  const std::string number = exponent >= 0
                                 ? mantissa.digits + std::string(static_cast<std::size_t>(exponent), '0')
                                 : with_point(mantissa.digits, -exponent);
  return fmt::format("{} {}", number, unit->name);
}

}  // namespace wafertlm::config
