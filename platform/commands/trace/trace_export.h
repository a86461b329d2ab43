// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace export`: a run as Kineto traces. Returns what runs it.
std::function<int()> add_trace_export(CLI::App& trace);

}  // namespace wafertlm
