// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm tune`: communication backends measured, assigned, and looked at for deadlocks.
std::function<int()> add_tune_command(CLI::App& app);

}  // namespace wafertlm
