// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace wafertlm {

/// A command of the program. `add` describes it to the parser; the function that it returns runs it and gives
/// the exit code: 0 done, 1 the run failed, 2 bad input (one line on stderr).
struct Command {
  const char* name;  ///< as typed
  std::function<int()> (*add)(CLI::App& app);
  const char* group = "";  ///< heading in `--help`: "Run"; empty: that of commands without one
};

}  // namespace wafertlm
