// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/fabric_traits.h"

namespace wafertlm {

/// Bytes that flows put on the links between routers or switches. A flow costs O(1): on a mesh only the ends
/// of its way along a row and a column are noted.
class LinkLoads {
 public:
  explicit LinkLoads(const FabricTraits& fabric);

  void add(NpuId from, NpuId to, std::uint64_t bytes);
  /// An in-network flow through a tree of switches: once over each uplink, up if there are contributors below
  /// it and not all receivers, down if there are receivers below it and not all contributors.
  void add_flow(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers,
                std::uint64_t bytes);
  /// On the link, in the direction, that carries most.
  std::uint64_t busiest_bytes() const;
  /// No sooner than this is the busiest link done: its bytes, and a hop. 0 without any bytes.
  TimePs busiest_ps() const;

 private:
  void add_in_dimensions(NpuId from, NpuId to, std::uint64_t bytes);
  void add_in_tree(NpuId from, NpuId to, std::uint64_t bytes);

  const FabricTraits& fabric_;
  // By place; a flow adds at the first link of a stretch and takes away behind the last.
  std::vector<std::int64_t> east_, west_, south_, north_;
  // Of the uplinks of a tree of switches, and back.
  std::vector<std::uint64_t> l1_up_, l1_down_, l2_up_, l2_down_;
  // Of the links of a dimension: [npu][slot]; up and down a ring, line or switch, or by coordinate of the
  // peer.
  std::vector<std::vector<std::uint64_t>> by_dimension_;
  std::vector<std::uint64_t> by_link_;  // of a graph
};

}  // namespace wafertlm
