// SPDX-License-Identifier: Apache-2.0
#include "tlm/input/number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace wafertlm {

std::optional<LeadingNumber> leading_number(std::string_view text) {
  const std::size_t sign = !text.empty() && text.front() == '+' ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  if (sign == 1 && !digits.empty() && digits.front() == '-') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return LeadingNumber{value, sign + static_cast<std::size_t>(end - digits.data())};
}

std::optional<double> finite_number(std::string_view text) {
  const auto found = leading_number(text);
  if (!found || found->length != text.size()) return std::nullopt;
  return found->value;
}

}  // namespace wafertlm
