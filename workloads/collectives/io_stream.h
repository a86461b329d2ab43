// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// A stream between the outside of the wafer and its NPUs, over all I/O controllers at once.
struct IoStreamRequest {
  CollectiveType type{};                     ///< broadcast: weights come in; reduce: gradients go out, summed
  std::uint64_t bytes = 0;                   ///< in all; split evenly over the controllers
  std::optional<std::uint64_t> chunk_bytes;  ///< passed on as a whole; none: by size and costs
  DataType data_type{};                      ///< of the values in functional mode
  Group members = {};                        ///< NPUs that it is for; empty: all
};

/// The programs of a stream, one for each controller ("channel"): rank 0 is the controller, the others are
/// the NPUs that take part, along the trees of the topology (Topology::io_trees). Every hop ends at an
/// endpoint.
struct IoStream {
  std::vector<std::shared_ptr<const CollectiveProgram>> channels;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t busiest_link_bytes = 0;   ///< between two routers or switches, payload
  std::uint32_t busiest_link_shares = 0;  ///< trees that use that link
  /// Bound: what the busiest link, controller or NPU port takes for its bytes, or the path between a
  /// controller and the NPU farthest from it; with these trees nothing can be faster. Prediction: wire bytes,
  /// the costs of the messages, and the time to fill the pipeline.
  CollectiveCost cost;
};

/// @throws std::invalid_argument: the fabric has no I/O controllers; the type is neither broadcast nor
/// reduce; a member is not on the wafer; more chunks than can be counted.
IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
