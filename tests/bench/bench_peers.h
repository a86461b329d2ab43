// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

/// Processor seconds, peak memory and simulated time of ASTRA-sim's congestion-aware analytical binary, if it
/// is on the PATH, and of the built program on the same files, in turn. `arguments`: [REGEX]
/// [--repetitions N].
void print_peers(const std::vector<std::string>& arguments);

}  // namespace wafertlm
