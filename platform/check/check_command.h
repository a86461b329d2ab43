// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// Add `wafertlm check` and `wafertlm schema`; the functions they return run them and give the exit code.
std::function<int()> add_check_command(CLI::App& app);
std::function<int()> add_schema_command(CLI::App& app);

}  // namespace wafertlm
