// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/core.h>

#include <string>
#include <vector>

#include "platform/commands/traffic/traffic_options.h"
#include "platform/commands/traffic/traffic_run.h"

namespace wafertlm::test {

/// The 8x8 mesh of configs/platforms/mesh_8x8_flit.yaml with checkers; `vcs` channels for its one class.
inline traffic::TrafficOptions flit_mesh_options(const std::string& packet, unsigned vcs = 4,
                                                 const std::string& switching = "cut_through") {
  traffic::TrafficOptions options;
  options.platform_file = WAFERTLM_SOURCE_DIR "/configs/platforms/mesh_8x8_flit.yaml";
  options.packet = packet;
  options.overrides = {
      "run.checkers=true", "wafer.fabric.switching=" + switching,
      fmt::format("wafer.fabric.virtual_channels={}", vcs),
      fmt::format("wafer.fabric.classes=[{{name: data, vc: 0, vcs: {}, priority: 0}}]", vcs)};
  options.measure_packets = 64'000;
  return options;
}

inline void print(const std::vector<traffic::TrafficResult>& results) {
  for (const traffic::TrafficResult& r : results)
    fmt::print(
        "offered {:.4f} accepted {:.4f} (slowest source {:.4f}) mean {:.2f} +- {:.2f} p99 {:.1f} cycles{}\n",
        r.offered, r.accepted, r.accepted_slowest, r.mean_cycles(), r.mean_half_width_ps / r.cycle_ps,
        r.p99_ps / r.cycle_ps, r.saturated ? " saturated" : "");
}

}  // namespace wafertlm::test
