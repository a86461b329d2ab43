// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm precision`: time, memory and traffic of a step by number formats.
std::function<int()> add_precision_command(CLI::App& app);

}  // namespace wafertlm
