// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "platform/describe/node.h"

namespace wafertlm::config {

/// A written value as JSON: numbers and truth values as such, all else as text.
nlohmann::ordered_json to_json(const Node& node);

}  // namespace wafertlm::config
