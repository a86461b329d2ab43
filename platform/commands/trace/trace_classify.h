// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace wafertlm {

/// `wafertlm trace classify`. The function returns -1 if it was not asked for.
std::function<int()> add_trace_classify(CLI::App& trace);

}  // namespace wafertlm
