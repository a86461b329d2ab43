// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/node.h"

namespace wafertlm {

using NamedResults = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// The settings in which two resolved experiments differ, in the order of the first, then what only the
/// second has: [{key, first: {value, origin}|null, this: {value, origin}|null}]. The origin is the
/// provenance, or the line that set the value.
nlohmann::ordered_json changed_settings(const config::Node& first, const config::Node& other,
                                        const std::string& first_text, const std::string& other_text);

/// How the last iteration of `first` becomes that of `other`, by what the rank that finishes last does:
/// {first_ps, this_ps, change_ps, parts: [{name, first_ps, this_ps, change_ps}]}. The parts' changes sum to
/// that of the time exactly. null: results without whole picoseconds.
nlohmann::ordered_json waterfall(const nlohmann::ordered_json& first, const nlohmann::ordered_json& other);

/// The collectives that both runs have (same name, type, class, group, bytes, and which of these it is),
/// largest difference first: {matched: [{type, class, name, algorithms: [2], ranks, bytes, first_ps, this_ps,
/// change_ps}], only_first, only_this}.
nlohmann::ordered_json collective_differences(const nlohmann::ordered_json& first,
                                              const nlohmann::ordered_json& other);

/// The links that both runs have, by name, that with the largest difference of its busy time first:
/// [{name, first_busy_s, this_busy_s, change_s, first_bytes, this_bytes}]; those without a difference are
/// left out.
nlohmann::ordered_json link_differences(const nlohmann::ordered_json& first,
                                        const nlohmann::ordered_json& other);

/// All of these of each run but the first, against the first: [{name, changed, waterfall, collectives,
/// links}].
/// @param folders where resolved.yaml may be, of each run; without one, `changed` is null
nlohmann::ordered_json run_differences(const NamedResults& runs, const std::vector<std::string>& folders);

/// For the terminal: changed settings, then where the difference of the iteration is, then collectives.
std::string differences_text(const nlohmann::ordered_json& differences);

/// Of run_differences().
nlohmann::ordered_json run_differences_schema();

}  // namespace wafertlm
