// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/config/platform_spec.h"
#include "platform/config/workload_spec.h"

namespace wafertlm::config {

/// An experiment file with the platform and the workload that it names.
struct ExperimentSpec {
  std::string name;
  PlatformSpec platform;
  WorkloadSpec workload;
  std::uint32_t iterations = 1;
  bool barrier = false;  ///< ranks wait for each other between iterations
  Origins origins;       ///< of all values, also those of platform and workload
};

bool operator==(const ExperimentSpec& a, const ExperimentSpec& b);

}  // namespace wafertlm::config
