// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/mesh/io_port.h"
#include "tlm/fabric/fabric_params.h"

namespace wafertlm {

class DetourCache;

/// One direction of a link between neighbours, with a part of its bandwidth.
struct SlowWay {
  NpuId from{0}, to{0};
  std::uint32_t speed_percent = 100;
};

struct MeshParams : FabricParams {
  std::uint32_t width = 0, height = 0;
  std::uint64_t link_bytes_per_s = 0;
  std::uint64_t vertical_link_bytes_per_s = 0;  ///< of the links north and south; 0: as the others
  TimePs router_pipeline_ps = 0;
  /// Of wormhole routers, as in SwitchParams. Without head_pipeline_ps it is two cycles of the router.
  std::uint32_t internal_speedup = 1;
  std::optional<TimePs> head_pipeline_ps;
  std::uint64_t injection_bytes_per_s = 3'000'000'000'000;  ///< NPU to router
  TimePs injection_latency_ps = 0;
  std::uint64_t ejection_bytes_per_s = 3'000'000'000'000;  ///< router to NPU
  TimePs ejection_latency_ps = 0;
  /// Links whose traffic an injection and an ejection port can carry at the same time; buffers `auto` have
  /// room for their packets.
  std::uint32_t injection_streams = 1, ejection_streams = 1;
  std::vector<std::pair<NpuId, NpuId>> failed_links;  ///< neighbours; both directions
  std::vector<std::pair<NpuId, NpuId>> failed_ways;   ///< from, to; that direction only
  std::vector<SlowWay> slow_ways;
  /// From, to: from some time on packets go around them (Fabric::avoid). Only without failed parts.
  std::vector<std::pair<NpuId, NpuId>> dying_ways;
  std::vector<NpuId> failed_routers;
  std::vector<NpuId> failed_npus;        ///< whose routers work
  std::shared_ptr<DetourCache> detours;  ///< all copies share its routes; none: each user makes its own
  std::vector<IoPort> io;                ///< controller k is the endpoint width × height + k
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;

  /// Routers or links do not work.
  bool has_holes() const { return !failed_links.empty() || !failed_ways.empty() || !failed_routers.empty(); }
  /// Packets go around these: they need a queue per output, and packets in one piece.
  bool has_detours() const { return has_holes() && !format.by_flit && input_queue == InputQueue::per_output; }
  /// NPUs that do not take part, in ascending order.
  std::vector<NpuId> idle_npus() const {
    std::vector<NpuId> idle = failed_npus;
    idle.insert(idle.end(), failed_routers.begin(), failed_routers.end());
    std::sort(idle.begin(), idle.end());
    idle.erase(std::unique(idle.begin(), idle.end()), idle.end());
    return idle;
  }
  std::uint64_t vertical_bytes_per_s() const {
    return vertical_link_bytes_per_s != 0 ? vertical_link_bytes_per_s : link_bytes_per_s;
  }
  std::uint64_t fastest_bytes_per_s() const { return std::max(link_bytes_per_s, vertical_bytes_per_s()); }
  std::uint64_t slowest_bytes_per_s() const {
    std::uint32_t percent = 100;
    for (const SlowWay& way : slow_ways) percent = std::min(percent, way.speed_percent);
    return part_of(std::min(link_bytes_per_s, vertical_bytes_per_s()), percent);
  }
  static std::uint64_t part_of(std::uint64_t bytes_per_s, std::uint32_t percent) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(Uint128{bytes_per_s} * percent / 100));
  }
};

}  // namespace wafertlm
