// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/config/platform_spec.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// One collective on an idle wafer, entered by all ranks at time 0.
struct CollectiveResult {
  TimePs time_ps = 0, predicted_ps = 0, bound_ps = 0;
  std::uint64_t packet_hops = 0, events = 0;
  std::uint64_t busiest_link_payload_bytes = 0;
  bool proven = false;  ///< functional mode: every value was right
  std::uint64_t injected_packets = 0;
  double simulation_cpu_s = 0;  ///< of the host, without building the platform
};

/// Builds the platform and runs the collective. One call per process.
/// @throws std::invalid_argument for what cannot be planned; std::runtime_error when it does not finish, a
/// value is wrong, or it is faster than its bound.
CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse = false);

}  // namespace wafertlm
