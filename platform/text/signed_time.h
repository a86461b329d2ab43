// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace wafertlm {

/// "-1.500 us", "+20.00 ns", "0 ps": of a change in picoseconds.
std::string format_change(std::int64_t ps);

}  // namespace wafertlm
