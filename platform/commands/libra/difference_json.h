// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/commands/libra/difference.h"

namespace wafertlm::model_gap {

/// Times in s; `parts` by name with `time_ps`.
nlohmann::ordered_json difference_json(const Difference& difference);
nlohmann::ordered_json difference_schema();

}  // namespace wafertlm::model_gap
