// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

struct VcdSignal {
  std::string name;  ///< with its scopes, separated by points; without its range
  unsigned bits = 1;
};

/// Makes one value change dump of several, whose unit of time must be the same: the scopes of the first come
/// first. Returns the signals of each. @throws std::runtime_error: a part cannot be read, or PATH not
/// written.
std::vector<std::vector<VcdSignal>> merge_vcd(const std::vector<std::string>& parts, const std::string& path);

}  // namespace wafertlm
