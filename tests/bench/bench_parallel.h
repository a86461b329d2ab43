// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

/// Weak scaling: a job on 1 to 8 wafers of 20 NPUs, each simulated by 1, 2 and 4 processes in turn; wall
/// seconds are the least of the repetitions. `arguments`: [--large] (also 1, 2 and 4 wafers of 1,024 NPUs;
/// minutes) [--wafers N] (those of N wafers alone) [--repetitions N].
void print_parallel(const std::vector<std::string>& arguments);

}  // namespace wafertlm
