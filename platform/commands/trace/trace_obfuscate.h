// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace obfuscate`: traces that can be shown to others. Returns what runs it.
std::function<int()> add_trace_obfuscate(CLI::App& trace);

}  // namespace wafertlm
