// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm trace stats`: what traces are made of, and how far two are apart. Returns what runs it.
std::function<int()> add_trace_stats(CLI::App& trace);

}  // namespace wafertlm
