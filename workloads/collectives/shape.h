// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/fabric_traits.h"
#include "tlm/program.h"

namespace wafertlm {

/// The smallest rectangle of the mesh that holds a group.
struct Rectangle {
  Rectangle(const Group& group, const FabricTraits& fabric);

  std::uint32_t left, right, top, bottom;
  bool full;  ///< every NPU in it is a member

  std::uint32_t width() const { return right - left + 1; }
  std::uint32_t height() const { return bottom - top + 1; }
  /// Both sides longer than 1.
  bool is_grid() const { return full && width() > 1 && height() > 1; }
};

/// A group in rows and columns, for hierarchical algorithms: `at` = rank at row · width + column.
struct GroupGrid {
  std::uint32_t width = 0, height = 0;  ///< both above 1
  std::uint32_t parts = 2;              ///< of the vector, with opposite order of the dimensions
  std::vector<std::uint32_t> at;
};
/// On a mesh a full rectangle, in two parts. In a tree of switches a row is what hangs on an L1 switch; each
/// must have as many members. All of the vector goes along the rows first, so that the L1 switches' uplinks
/// carry as little as can be. Empty if the group is no grid.
std::optional<GroupGrid> grid_of(const Group& group, const FabricTraits& fabric);

/// Positions in the group in the order of a ring. On a mesh: a cycle of neighbours if the group is a whole
/// rectangle with an even side, else in a snake along the rows. In a tree of switches: by NPU, so that an
/// uplink is crossed once in each direction. On a graph, of up to 256: always on to the nearest one that is
/// left.
std::vector<std::uint32_t> ring_order(const Group& group, const FabricTraits& fabric);
bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const FabricTraits& fabric);

/// Distances within a group of at least two, without looking at every pair.
class GroupDistances {
 public:
  GroupDistances(const Group& group, const FabricTraits& fabric);

  /// Links between switches from an NPU to the member farthest from it.
  std::uint32_t farthest_hops(NpuId from) const;
  /// To the nearest other member.
  std::uint32_t nearest_hops(NpuId from) const;
  /// Between the two members farthest from each other.
  std::uint32_t diameter() const;

 private:
  std::uint32_t members_near(NpuId npu, std::uint32_t level) const;

  const FabricTraits& fabric_;
  std::size_t members_;
  // On a mesh.
  std::vector<bool> member_;
  // Of column + row, and of column - row + height.
  std::uint32_t sum_least_ = ~0U, sum_most_ = 0, skew_least_ = ~0U, skew_most_ = 0;
  // In a tree of switches: members below each switch of a level.
  std::vector<std::uint32_t> on_l1_, on_l2_;
};

/// The rank with the fewest hops to the one farthest from it; the lowest of several.
std::uint32_t centre_rank(const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
