// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace wafertlm {

/// What a user sees after a run: where the time went, the collectives beside their bounds, the busiest links.
std::string run_summary(const nlohmann::ordered_json& results);

/// The critical path, an operation per line.
std::string critical_path_text(const nlohmann::ordered_json& results);

}  // namespace wafertlm
