// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// Adds `wafertlm memory-engine`, which prints what each way of protecting remote memory costs; the function
/// does what was asked for and returns the exit code.
std::function<int()> add_memory_engine_command(CLI::App& app);

}  // namespace wafertlm
