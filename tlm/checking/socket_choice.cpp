// SPDX-License-Identifier: Apache-2.0
#include "tlm/checking/socket_choice.h"

#include <utility>

#include "tlm/kernel/globs.h"

namespace wafertlm {

SocketChoice::SocketChoice(std::vector<std::string> globs) : sc_object(kName), globs_(std::move(globs)) {}

bool SocketChoice::wants(const std::string& name) {
  const auto* const choice = dynamic_cast<const SocketChoice*>(sc_core::sc_find_object(kName));
  return !choice || matches_any(choice->globs_, name);
}

}  // namespace wafertlm
