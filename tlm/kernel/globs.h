// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wafertlm {

/// Whether one of the shell's patterns means this name.
inline bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

}  // namespace wafertlm
