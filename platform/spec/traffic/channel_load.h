// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/mesh/mesh_params.h"
#include "platform/spec/traffic/patterns.h"
#include "tlm/shape/topology.h"

namespace wafertlm::traffic {

/// What a pattern asks of one link under X-Y routing.
struct ChannelLoad {
  std::string link;      ///< "router3->router4", "npu3->router3", "router3->npu3"
  std::uint64_t weight;  ///< flits over the link are weight / ChannelLoads::total of what a node offers
  std::uint64_t bytes_per_s;
};

/// The expected load of every link, exact (Dally and Towles, "Principles and Practices of Interconnection
/// Networks", 3.3: the busiest channel bounds the throughput).
struct ChannelLoads {
  std::uint64_t total = 1;
  std::vector<ChannelLoad> links;  ///< mesh links in the order of MeshFabric::links(), then injection
  std::size_t busiest = 0;         ///< of `links`: the first one that fills up
  /// Offered flits per sending node and cycle at which the busiest link is full; a cycle is the time of a
  /// flit on a mesh link.
  double bound = 0;

  double load(const ChannelLoad& link) const {
    return static_cast<double>(link.weight) / static_cast<double>(total);
  }
};

/// Finds the busiest link and the bound; a cycle is the time of a flit at `cycle_bytes_per_s`.
void finish(ChannelLoads& loads, std::uint64_t cycle_bytes_per_s);

ChannelLoads channel_loads(const MeshParams& mesh, const Pattern& pattern);

/// Of any fabric, by walking the route of every pair. The topology's links must be those of Fabric::links(),
/// then injection, and its routes go over them also from an NPU to itself.
ChannelLoads channel_loads(const Topology& topology, std::uint64_t cycle_bytes_per_s, const Pattern& pattern);

}  // namespace wafertlm::traffic
