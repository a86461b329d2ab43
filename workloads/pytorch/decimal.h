// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace wafertlm::pytorch {

/// Nanoseconds of a decimal number of microseconds ("4458676522690.655"), exactly; digits beyond nanoseconds
/// are cut off. `has_fraction` becomes true if there are any that count. @throws std::invalid_argument: no
/// number, or more than 2^63 ns.
std::int64_t nanoseconds(std::string_view microseconds, bool& has_fraction);

/// @throws std::invalid_argument: no whole number from 0 on, in 64 or 32 bits.
std::uint64_t whole_number(std::string_view text);
std::uint32_t whole_number_32(std::string_view text);

}  // namespace wafertlm::pytorch
