// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::fuzz {

/// A trace file of one rank, as `wafertlm trace info|check|convert` read it. `form`: "et", "et.gz", "json".
void read_trace(const std::string& form, const std::string& input);

}  // namespace wafertlm::fuzz
