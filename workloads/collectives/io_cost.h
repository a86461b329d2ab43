// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/fabric_traits.h"
#include "workloads/collectives/io_tree.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// From a controller to an NPU of its tree.
struct IoPath {
  std::uint32_t hops = 0;  ///< from NPU to NPU
  TimePs head_ps = 0;      ///< of their heads
  TimePs entry_ps = 0;     ///< of the head between the controller and the first NPU
};

/// Payload that a stream puts on every link and through every NPU's port: the most.
struct IoLoads {
  std::uint64_t link_bytes = 0, link_bytes_per_s = 1;  ///< of the link that takes longest
  std::uint32_t link_shares = 0;                       ///< trees that use a link
  TimePs link_head_ps = kNever;                        ///< the least head latency over a link in use
  std::uint64_t port_bytes = 0, channel_bytes = 0;
  IoPath path;                     ///< the longest of each
  TimePs least_entry_ps = kNever;  ///< of the head, into the wafer
  bool enters_at_once = true;      ///< every tree begins at an NPU of the controller's own router or switch
  TimePs channel_ps = 0;           ///< bound: a channel's last byte has all the path to go
};

IoLoads io_loads(const std::vector<IoTreePlan>& plans, const FabricTraits& fabric);

/// The chunk of a stream that leaves it open: such that filling the trees takes little of the time, and more
/// if else the costs of the messages are too high. `sends_in`: the controllers send.
std::uint64_t open_io_chunk(const IoLoads& loads, bool sends_in, const FabricTraits& fabric);

/// Through trees of endpoints.
CollectiveCost io_tree_cost(const IoLoads& loads, std::uint64_t chunk_bytes, bool sends_in,
                            const FabricTraits& fabric);

/// As flows that the switches distribute or add up: as much on the links as in the trees, each byte once
/// through the port of an NPU, and no path from NPU to NPU.
CollectiveCost io_flow_cost(const IoLoads& loads, std::uint64_t bytes, const FabricTraits& fabric);

}  // namespace wafertlm
