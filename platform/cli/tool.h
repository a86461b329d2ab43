// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/command.h"

namespace wafertlm {

/// The command line `wafertlm` with these commands, in the order of `--help`, and with those about the
/// command line itself. To be called once. @return the exit code: 0 done, 1 the run failed, 2 bad input
int run_commands(const std::vector<Command>& commands, int argc, char** argv);

/// The same with the commands that the program is linked with (platform/commands/CMakeLists.txt). From
/// sc_main; fabric kinds of your own are added before (platform/spec/fabric_kinds.h).
int run_tool(int argc, char** argv);

}  // namespace wafertlm
