// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// Adds `wafertlm memory`; the function it returns runs it and gives the exit code.
std::function<int()> add_memory_command(CLI::App& app);

}  // namespace wafertlm
