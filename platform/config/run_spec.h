// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "models/endpoint/endpoint_params.h"
#include "tlm/data_type.h"
#include "tlm/units.h"

namespace wafertlm::config {

/// How the simulation runs.
struct RunSpec {
  bool checkers = false;
  bool functional = false;
  DataType data_type = DataType::int32;  ///< of the values in functional mode
  std::optional<FaultParams> fault;
  std::uint64_t seed = 1;
  TimePs watchdog_ps = 10 * kPsPerSecond;  ///< simulated time after which a run is given up
};

}  // namespace wafertlm::config
