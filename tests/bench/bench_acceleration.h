// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

/// Processor seconds of the built program with run.acceleration off and exact, in turn, in a row for each
/// case, and the geometric mean of the ratios; and what became of the packets with exact. `arguments`:
/// [REGEX] [--repetitions N] [--limit SECONDS].
void print_acceleration(const std::vector<std::string>& arguments);

}  // namespace wafertlm
