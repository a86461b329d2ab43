// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// Adds `wafertlm rtl`: what designs there are, and recordings into one without a wafer around it.
std::function<int()> add_rtl_command(CLI::App& app);

}  // namespace wafertlm
