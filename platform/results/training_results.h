// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "platform/config/experiment_spec.h"

namespace wafertlm {

/// What a generated workload asks of an NPU beside what the NPU is: the field `training` of results.json (see
/// platform/README.md); null for traces.
nlohmann::ordered_json training_json(const config::ExperimentSpec& experiment);
nlohmann::ordered_json training_schema();

/// The same in a sentence or two, of results.json; what is remarkable alone.
std::string training_text(const nlohmann::ordered_json& results);

}  // namespace wafertlm
