// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace edit`: traces changed for what-if questions. Returns what runs it.
std::function<int()> add_trace_edit(CLI::App& trace);

}  // namespace wafertlm
