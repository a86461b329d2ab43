// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm fred counts`. Returns the function that runs it.
std::function<int()> add_fred_counts_command(CLI::App& fred);

}  // namespace wafertlm
