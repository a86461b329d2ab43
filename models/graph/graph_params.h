// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tlm/fabric/fabric_params.h"
#include "tlm/shape/fabric_graph.h"

namespace wafertlm {

/// The latencies are those of the graph's links.
struct GraphParams : FabricParams {
  std::shared_ptr<const FabricGraph> graph;
  std::vector<NpuId> failed_npus;  ///< do not take part
  /// By vertex: the wafer that it is on; empty: there is one. Links between two may lead to other processes.
  std::vector<std::uint32_t> wafer_of;
  /// As Fabric::exits() and message_bytes_per_s(), of a kind that knows better than the graph; none: as of
  /// any graph.
  std::function<std::vector<std::uint8_t>(NpuId)> exits;
  std::uint64_t message_bytes_per_s = 0;
  /// NPUs on switches send and receive on the lower half of a class's channels: as if there were no others.
  bool npus_on_lower_half = false;
};

}  // namespace wafertlm
