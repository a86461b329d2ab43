// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace info|check|convert FILES`
std::function<int()> add_trace_command(CLI::App& app);
/// `wafertlm workload generate WORKLOAD.yaml --out DIR`
std::function<int()> add_workload_command(CLI::App& app);

}  // namespace wafertlm
