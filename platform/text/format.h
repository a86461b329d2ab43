// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// "1.234 ms": four significant digits in the unit that fits.
std::string format_time(TimePs time);
/// "16 MiB" if it is a whole number of them, else "1.5 GB".
std::string format_bytes(std::uint64_t bytes);
/// "25.56 M": four significant digits; whole below a thousand.
std::string format_count(std::uint64_t count);
/// "712.3 GB/s".
std::string format_bandwidth(double bytes_per_s);
double seconds(TimePs time);
/// "1 node", "2 nodes"; `plural` where it is not an added s.
std::string counted(std::uint64_t count, const std::string& noun, const std::string& plural = "");

}  // namespace wafertlm
