// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace synthesize`: a model of traces, and traces made of it. Returns what runs it.
std::function<int()> add_trace_synthesize(CLI::App& trace);

}  // namespace wafertlm
