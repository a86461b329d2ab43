// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/messages/message_rules.h"
#include "tlm/fabric/fabric_params.h"
#include "tlm/shape/dimensions.h"

namespace wafertlm {

/// One dimension, or the sides of a mesh or torus, each of which is a dimension.
struct DimensionGroup {
  enum class Topology : std::uint8_t { ring, fully_connected, switched, mesh, torus };
  Topology topology = Topology::ring;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> shape;  ///< of a mesh or torus: its sides; empty: one side of `size`
  std::uint64_t bytes_per_s = 0;     ///< of a link, each direction
  TimePs latency_ps = 0;             ///< of a link
  double in_network = 0;             ///< part of a link's rate that flows get; 0: the switch does not reduce

  bool has_rings() const { return topology == Topology::ring || topology == Topology::torus; }
};
/// `opposite_is_up`: FabricDimension. @throws std::invalid_argument as Dimensions
Dimensions dimensions_of(const std::vector<DimensionGroup>& groups, bool opposite_is_up = false);

/// The links of one NPU in one dimension, where they differ from the others': those that it sends on, and of
/// a switch both directions.
struct OtherLink {
  NpuId npu{};
  std::uint32_t dimension = 0;
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;
};

/// The latencies are those of the dimensions.
struct DimensionalParams : FabricParams {
  std::vector<DimensionGroup> groups;  ///< as they are written
  Dimensions dimensions;               ///< what they are: dimensions_of()
  bool opposite_is_up = false;         ///< FabricDimension::opposite_is_up, of all
  std::vector<OtherLink> other_links;
  MessageRules rules;        ///< of messages
  bool messages = false;     ///< carries whole messages, in an engine of its own (models/messages)
  bool one_for_all = false;  ///< of messages: only NPU 0 is simulated and stands for all (OneForAll)
};

}  // namespace wafertlm
