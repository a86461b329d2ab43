// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tlm/units.h"

namespace wafertlm::traffic {

/// Reads lines `source destination` (node numbers; # starts a comment); sources that are not listed are
/// silent. Returns the destination by source.
/// @throws config::ConfigError with file and line: no file, not two numbers, a node that does not exist, a
/// source or destination listed twice, nothing at all.
std::vector<std::optional<NpuId>> read_permutation(const std::string& path, std::uint32_t nodes);

}  // namespace wafertlm::traffic
