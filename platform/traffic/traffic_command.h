// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace wafertlm {

/// Adds the subcommand `traffic` with its options. The function returned runs it (when it was selected) and
/// gives the exit code: 0 done, 1 the run failed, 2 bad input (one line on stderr).
std::function<int()> add_traffic_command(CLI::App& app);

}  // namespace wafertlm
