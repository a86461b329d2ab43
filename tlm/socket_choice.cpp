// SPDX-License-Identifier: Apache-2.0
#include "tlm/socket_choice.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace wafertlm {

SocketChoice::SocketChoice(std::vector<std::string> globs) : sc_object(kName), globs_(std::move(globs)) {}

bool SocketChoice::wants(const std::string& name) {
  const auto* const choice = dynamic_cast<const SocketChoice*>(sc_core::sc_find_object(kName));
  return !choice || std::any_of(choice->globs_.begin(), choice->globs_.end(), [&](const std::string& glob) {
    return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace wafertlm
