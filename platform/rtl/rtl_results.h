// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

namespace wafertlm {

/// The JSON Schema of an entry of RtlViews::json().
nlohmann::ordered_json rtl_view_schema();

}  // namespace wafertlm
