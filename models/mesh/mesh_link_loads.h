// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "tlm/topology.h"

namespace wafertlm {

/// Bytes on the links of a mesh. A message costs O(1): what goes along a row or column is added at the first
/// link of a stretch and taken away behind the last.
class MeshLinkLoads final : public LinkLoads {
 public:
  MeshLinkLoads(const MeshGeometry& mesh, const TopologyLink& link);

  void add(NpuId from, NpuId to, std::uint64_t bytes) override;
  /// Routers do not distribute: each message on its own.
  void add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) override;
  /// X first, so a link of a row carries what the members before it in the row send to all members beyond it,
  /// one of a column the other way round.
  void add_all_pairs(const Group& group, std::uint64_t bytes) override;
  std::uint64_t busiest_bytes() const override;
  TimePs busiest_ps() const override;

 private:
  /// By line and position in it, with one position more than there are NPUs.
  using Changes = std::vector<std::int64_t>;
  void add_in_row(std::uint32_t row, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);
  void add_in_column(std::uint32_t column, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);

  const MeshGeometry& mesh_;
  TopologyLink link_;
  Changes east_, west_, south_, north_;
};

}  // namespace wafertlm
