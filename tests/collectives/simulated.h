// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "platform/commands/collective/collective_setup.h"
#include "platform/host/child.h"
#include "platform/machine/collective_run.h"
#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/groups.h"

namespace wafertlm::test {

/// Of configs/platforms/, without .yaml.
inline config::PlatformSpec preset(const std::string& name, const std::vector<std::string>& overrides) {
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + name + ".yaml",
                               overrides);
}

inline config::PlatformSpec platform(const std::vector<std::string>& overrides = {}) {
  return preset("wafer_mesh_5x4", overrides);
}

/// A preset of FRED: "a" to "d", or "d_physical".
inline config::PlatformSpec fred_platform(const std::string& variant, std::vector<std::string> overrides = {},
                                          const std::vector<std::string>& more = {}) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("fred_" + variant, overrides);
}

/// Overrides that have every value checked, and every socket.
inline const std::vector<std::string> kProof = {"run.functional=true", "run.checkers=true"};

inline Group whole_wafer() { return first_npus(20); }

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

/// All groups of a class of MP(2)-DP(5)-PP(2) at once, or with "" one group of all NPUs, in a process of its
/// own.
inline nlohmann::json outcome_of_class(const config::PlatformSpec& spec, const std::string& type,
                                       const std::string& parallel_class, std::uint64_t bytes,
                                       bool reverse = false) {
  CollectiveOptions options;
  options.type = type;
  if (!parallel_class.empty()) {
    options.parallelism = "MP(2)-DP(5)-PP(2)";
    options.traffic_class = parallel_class;
  }
  const CollectiveSetup setup(spec, options);
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult of = run_collectives(
        spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); }, reverse);
    return {{"time", of.time_ps},  {"bound", of.bound_ps},
            {"ends", of.end_ps},   {"predicted", of.predicted_ps},
            {"proven", of.proven}, {"busiest", of.busiest_link_payload_bytes}};
  });
}

}  // namespace wafertlm::test
