// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace wafertlm {

/// Of results.json, a line for each switch with RTL and one for its first divergence; empty: there is none.
std::string rtl_report(const nlohmann::json& results);

}  // namespace wafertlm
