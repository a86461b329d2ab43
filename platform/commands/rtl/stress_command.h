// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <utility>

namespace wafertlm {

/// `wafertlm rtl stress`: the subcommand, and what it does.
std::pair<CLI::App*, std::function<int()>> add_stress_command(CLI::App& rtl);

}  // namespace wafertlm
