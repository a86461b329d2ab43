// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platform/commands/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// A result as JSON; what may differ between two equal runs is under `host`. An unknown confidence is null.
nlohmann::json to_json(const TrafficResult& result);
TrafficResult result_from_json(const nlohmann::json& json);

/// "note: …", a line each.
std::string report_notes(const TrafficSetup& setup);
/// The file of `--json`: what was run, the bounds, and rows[], one per load.
nlohmann::json sweep_json(const TrafficSetup& setup, const std::vector<TrafficResult>& results);
nlohmann::ordered_json sweep_schema();

// The printed report: heading with the bounds, one row per load, the busiest links of the highest load.
std::string report_heading(const TrafficSetup& setup);
std::string report_row(const TrafficResult& result);
/// Between which loads the saturation lies, and what "not stable" means where it was said; perhaps empty.
std::string report_saturation(const std::vector<TrafficResult>& results);
std::string report_links(const TrafficResult& result);

}  // namespace wafertlm::traffic
