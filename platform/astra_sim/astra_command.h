// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

/// `wafertlm astra-sim`: a run from ASTRA-sim's files, with its option names.
std::function<int()> add_astra_sim_command(CLI::App& app);
/// `wafertlm convert astra-sim`: the same files as our YAML.
std::function<int()> add_convert_command(CLI::App& app);

}  // namespace wafertlm
