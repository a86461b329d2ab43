// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "models/nic/congestion/schemes.h"

namespace wafertlm::nic {

/// A published set of parameters.
struct SchemePreset {
  std::string name;
  std::string source;
  SchemeParams params;
};

const std::vector<SchemePreset>& scheme_presets();
/// @throws std::invalid_argument: no such preset; names those that there are
const SchemeParams& scheme_preset(const std::string& name);

}  // namespace wafertlm::nic
