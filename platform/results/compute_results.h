// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "platform/system/machine.h"

namespace wafertlm {

/// Which compute model of the NPUs has told how long computations take: the field `compute` of results.json
/// (see platform/README.md).
nlohmann::ordered_json compute_json(const Machine& machine);
nlohmann::ordered_json compute_schema();

/// The same in a sentence, of results.json, for a systolic array; else nothing.
std::string compute_text(const nlohmann::ordered_json& results);

}  // namespace wafertlm
