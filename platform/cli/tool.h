// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wafertlm {

/// The command line `wafertlm`, to be called once, from sc_main. Fabric kinds of your own are added before
/// (platform/spec/fabric_kinds.h).
/// @return the exit code: 0 done, 1 the run failed, 2 bad input
int run_tool(int argc, char** argv);

}  // namespace wafertlm
