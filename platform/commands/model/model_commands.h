// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace wafertlm {

// Commands below `wafertlm model`, as in commands/command.h.
std::function<int()> add_cores_command(CLI::App& model);
std::function<int()> add_fred_command(CLI::App& model);
std::function<int()> add_memory_command(CLI::App& model);
std::function<int()> add_memory_engine_command(CLI::App& model);

}  // namespace wafertlm
