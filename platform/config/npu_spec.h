// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/endpoint/endpoint_params.h"
#include "platform/config/compute_spec.h"
#include "platform/config/hbm_spec.h"

namespace wafertlm::config {

/// Whether what an endpoint sends and receives passes through the NPU's HBM.
enum class EndpointMemory : std::uint8_t { free, hbm };

/// What executes the steps of collectives, sends and receives. endpoint_params() (npu_type.h) adds the
/// memory.
struct EndpointSpec : EndpointParams {
  EndpointMemory memory = EndpointMemory::free;
  TimePs stage_cost_ps = 0;  ///< before the first message of a stage of a collective by dimensions
};

struct NpuSpec {
  double peak_operations_per_s = 1e15;
  ComputeSpec compute;
  HbmSpec hbm;
  EndpointSpec endpoint;
};

}  // namespace wafertlm::config
