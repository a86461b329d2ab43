// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace import`: PyTorch's traces as Chakra traces. Returns what runs it.
std::function<int()> add_trace_import(CLI::App& trace);

}  // namespace wafertlm
