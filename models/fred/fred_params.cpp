// SPDX-License-Identifier: Apache-2.0
#include "models/fred/fred_params.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

void FredParams::check() const {
  geometry.check();
  if (npu_bytes_per_s == 0 || l1_uplink_bytes_per_s == 0 ||
      (geometry.levels() == 3 && l2_uplink_bytes_per_s == 0))
    throw std::invalid_argument("NPUs and uplinks need a bandwidth");
  if (!geometry.io.empty() && io_bytes_per_s == 0)
    throw std::invalid_argument("I/O controllers need a bandwidth");
  if (link_latency_ps + stage_latency_ps == 0)
    throw std::invalid_argument("link latency and stage latency are both 0: a hop must take at least 1 ps");
  if (is_physical()) chips.check(geometry);
}

void FredParams::set_chip_counts() {
  chips.chips_per_l1 = static_cast<std::uint32_t>(npu_bytes_per_s / chips.port_bytes_per_s);
  chips.up_ports =
      static_cast<std::uint32_t>(l1_uplink_bytes_per_s / (chips.chips_per_l1 * chips.port_bytes_per_s));
}

std::uint64_t FredParams::streams(std::uint64_t bytes_per_s) const {
  return (bytes_per_s - 1) / npu_bytes_per_s + 1;
}

std::uint32_t FredParams::ports(std::uint32_t level) const {
  if (is_physical())
    return level == 1 ? geometry.npus_per_l1 + chips.up_ports + geometry.most_io()
                      : geometry.l1_switches * chips.l2_links;
  const auto of_uplink = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(streams(uplink_bytes_per_s(below)));
  };
  const std::uint32_t up = level < geometry.levels() ? of_uplink(level) : 0;
  if (level == 1) return geometry.npus_per_l1 + up + geometry.most_io();
  const std::uint32_t below = level == 2 ? geometry.l1_per_l2() : geometry.l2_switches;
  return std::max(below * of_uplink(level - 1) + up, 2U);
}

TimePs FredParams::head_latency_ps(std::uint32_t turn_level) const {
  TimePs latency = 2 * turn_level * link_latency_ps + pipeline_ps(turn_level);
  for (std::uint32_t level = 1; level < turn_level; ++level) latency += 2 * pipeline_ps(level);
  return latency;
}

}  // namespace wafertlm
