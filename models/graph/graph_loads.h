// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/shape/fabric_graph.h"
#include "tlm/shape/link_loads.h"

namespace wafertlm {

/// The ways from members of a group to one NPU, which join to a tree: each vertex on them once, behind the
/// one that its link leads to. Without members that have a way of their own (given routes).
class WaysTo {
 public:
  explicit WaysTo(const FabricGraph& graph) : graph_(graph), seen_for_(graph.vertices().size(), kNobody) {}

  /// Link out of each vertex, by vertex.
  using Ways = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const Ways& find(const Group& group, NpuId to);
  /// Of the last find(): members with a way of their own.
  const Group& others() const { return others_; }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  const FabricGraph& graph_;
  std::vector<std::uint32_t> seen_for_;  // by vertex: the NPU
  Ways ways_;
  Group others_;
};

/// Counts a tree at a time where all send to all.
class GraphLoads final : public RouteLoads {
 public:
  GraphLoads(const Topology& topology, const FabricGraph& graph) : RouteLoads(topology), graph_(graph) {}
  void add_all_pairs(const Group& group, std::uint64_t bytes) override;

 private:
  const FabricGraph& graph_;
};

}  // namespace wafertlm
