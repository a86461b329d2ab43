// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace wafertlm {

/// The JSON Schema of results.json (results.schema.json).
std::string_view results_schema();

}  // namespace wafertlm
