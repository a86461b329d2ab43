// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "platform/config/platform_spec.h"
#include "platform/system/machine.h"

namespace wafertlm {

/// Which compute model of the NPUs has told how long computations take: the field `compute` of results.json
/// (see platform/README.md).
nlohmann::ordered_json compute_facts(const config::PlatformSpec& platform, const Machine& machine);

/// The same in a sentence, of results.json, for a systolic array; else nothing.
std::string compute_facts_text(const nlohmann::ordered_json& results);

}  // namespace wafertlm
