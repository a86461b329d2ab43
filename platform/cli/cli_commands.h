// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/command.h"

namespace wafertlm {

/// Commands about the command line itself, which every program has: help, completion, man.
const std::vector<Command>& cli_commands();

}  // namespace wafertlm
