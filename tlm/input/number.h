// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace wafertlm {

/// Decimal numbers as users write them: "12", "-0.5", "+3", "1e-3". Never NaN or infinite, not hexadecimal.
struct LeadingNumber {
  double value = 0;
  std::size_t length = 0;  ///< of its text
};

/// The number that a text begins with; none: it begins with something else, or the number is too large for a
/// double.
std::optional<LeadingNumber> leading_number(std::string_view text);

/// The number that a text is, and nothing else.
std::optional<double> finite_number(std::string_view text);

}  // namespace wafertlm
