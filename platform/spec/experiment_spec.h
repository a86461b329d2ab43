// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "platform/spec/cost_spec.h"
#include "platform/spec/platform_spec.h"
#include "platform/spec/workload_spec.h"

namespace wafertlm::config {

/// A model that needs more memory than an NPU has.
enum class HbmOverflow : std::uint8_t { error, note };

/// An experiment file with the platform and the workload that it names.
struct ExperimentSpec {
  std::string name;
  PlatformSpec platform;
  WorkloadSpec workload;
  std::uint32_t iterations = 1;
  bool barrier = false;              ///< ranks wait for each other between iterations
  bool list_all_iterations = false;  ///< in the results, see ListedIterations
  HbmOverflow hbm_overflow = HbmOverflow::error;
  std::optional<CostSpec> costs;  ///< then results have the platform's price and power
  Origins origins;                ///< of all values, also those of platform and workload
};

}  // namespace wafertlm::config
