// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// A document of which only what paths (see read_path) lead to is read; everything else is null. Lists keep
/// their lengths and maps their names, so that read_path says the same of it. Of a large document this takes
/// a small part of the time. @throws nlohmann::json::parse_error.
nlohmann::json pruned_json(const std::string& text, const std::vector<std::string>& paths);

/// A path taken apart: "a.b[0]" as a, b, [0].
std::vector<std::string> parts_of_path(const std::string& path);

}  // namespace wafertlm
