// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>

namespace wafertlm {

/// Concatenates anything that can be printed; for texts off the hot path.
template <typename... Parts>
std::string say(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace wafertlm
