// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace wafertlm {

/// `wafertlm new`: a commented file to start from.
std::function<int()> add_new_command(CLI::App& app);

}  // namespace wafertlm
