// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "platform/describe/struct_type.h"
#include "tlm/cores/core_params.h"

namespace wafertlm::config {

/// A wafer at the grain of its cores (configs/cores).
struct CoresSpec {
  std::string name;
  cores::CoreParams params;
  std::string calibrated_by;            ///< the row whose value gave `step_overhead`; empty: none
  std::vector<std::string> leaves_out;  ///< what the machine has and the model does not
};

std::shared_ptr<const Struct<CoresSpec>> cores_type();
/// @throws ConfigError.
CoresSpec load_cores(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace wafertlm::config
