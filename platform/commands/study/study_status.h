// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace wafertlm {

/// Prints how far the study is whose results go to `out`: which cells are done, run, wait and have failed, by
/// whom, and how long it will take. Looks only. @return exit code: 1 if cells have failed
/// @throws std::invalid_argument: none was started there.
int show_study_status(const std::filesystem::path& out, bool as_json);
nlohmann::ordered_json study_status_schema();

}  // namespace wafertlm
