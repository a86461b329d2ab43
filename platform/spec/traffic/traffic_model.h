// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "models/mesh/mesh_geometry.h"
#include "platform/spec/traffic/channel_load.h"

namespace wafertlm::traffic {

/// How synthetic traffic goes over a kind of fabric.
struct TrafficModel {
  MeshGeometry grid;                ///< what patterns are laid over
  std::uint64_t cycle_bytes_per_s;  ///< a cycle is the time of a flit at this rate
  std::string fabric;               ///< in a few words: "5x4 mesh"
  /// What a pattern asks of every link, in the order of Fabric::links(), then of injection.
  std::function<ChannelLoads(const Pattern&)> loads;
  /// No packet is faster, whatever its path: the port of a chip over which packets are striped. 0: the path
  /// says it.
  std::uint64_t packet_bytes_per_s = 0;
  /// Of a node to itself, where the topology does not know it: the slowest link, latency of the head.
  std::function<TopologyLink(NpuId)> to_itself = nullptr;
};

}  // namespace wafertlm::traffic
