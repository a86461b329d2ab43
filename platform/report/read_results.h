// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wafertlm {

/// A time in seconds, no longer than simulated time can be.
bool is_time_s(const nlohmann::ordered_json& value);

/// The results.json in a folder of `wafertlm run`, or the file itself.
/// @throws std::invalid_argument when there is none, or it is something else.
nlohmann::ordered_json read_results(const std::string& path);

}  // namespace wafertlm
