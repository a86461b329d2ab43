// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace wafertlm::fuzz {

/// A trace file of one rank, as `wafertlm trace info|check|convert` read it. `form`: "et", "et.gz", "json".
void read_trace(const std::string& form, const std::uint8_t* data, std::size_t size);

}  // namespace wafertlm::fuzz
