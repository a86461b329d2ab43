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
};

}  // namespace wafertlm::traffic
