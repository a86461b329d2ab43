// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <nlohmann/json.hpp>

namespace wafertlm {

/// Runs `work` in a process of its own (SystemC allows one elaboration per process) and returns what it
/// returned.
/// @throws std::invalid_argument or std::runtime_error with the text of what `work` threw, std::runtime_error
/// if it died.
nlohmann::json run_in_child(const std::function<nlohmann::json()>& work);

}  // namespace wafertlm
