// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "platform/collective/collective_run.h"
#include "platform/command/child.h"
#include "platform/config/load.h"
#include "platform/system/machine.h"

namespace wafertlm::test {

inline config::PlatformSpec platform(const std::vector<std::string>& overrides = {}) {
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
                               overrides);
}

inline Group npus(std::initializer_list<std::uint32_t> list) {
  Group group;
  for (const std::uint32_t npu : list) group.push_back(static_cast<NpuId>(npu));
  return group;
}

inline Group whole_wafer() {
  Group group;
  for (std::uint32_t npu = 0; npu < 20; ++npu) group.push_back(static_cast<NpuId>(npu));
  return group;
}

/// One simulation, in a process of its own.
inline nlohmann::json outcome(const config::PlatformSpec& spec, const CollectiveRequest& request,
                              bool reverse = false) {
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult result = run_collective(spec, request, "dp", reverse);
    return {{"time", result.time_ps},
            {"predicted", result.predicted_ps},
            {"bound", result.bound_ps},
            {"busiest_link", result.busiest_link_payload_bytes},
            {"proven", result.proven}};
  });
}

}  // namespace wafertlm::test
