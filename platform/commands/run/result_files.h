// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/commands/run/run_command.h"
#include "platform/machine/measurements.h"
#include "platform/spec/load.h"

namespace wafertlm {

/// Names and texts.
using Files = std::vector<std::pair<std::string, std::string>>;

std::filesystem::path results_folder(const ExperimentOptions& options);
/// What every run writes.
std::vector<std::string> kept_names();
/// What this one writes; known before it.
std::vector<std::string> names_of_results(const ExperimentOptions& options,
                                          const config::ResolvedFiles& configuration);
/// What is written before the run.
Files given_files(const ExperimentOptions& options, const config::ResolvedFiles& configuration);
/// What comes of the results.
Files made_files(const nlohmann::ordered_json& results);

/// Says so if a key had no effect, which only the run shows.
std::string operands_text(const config::PlatformSpec& platform, const Measurements& measured);
std::uint64_t peak_rss_bytes();

}  // namespace wafertlm
