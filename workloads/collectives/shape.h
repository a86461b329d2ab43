// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
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

/// Positions in the group in the order of a ring: a cycle of neighbours if the group is a whole rectangle
/// with an even side, else in a snake along the rows.
std::vector<std::uint32_t> ring_order(const Group& group, const FabricTraits& fabric);
bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const FabricTraits& fabric);

/// Distances within a group of at least two, without looking at every pair.
class GroupDistances {
 public:
  GroupDistances(const Group& group, const FabricTraits& fabric);

  /// Hops from an NPU to the member farthest from it.
  std::uint32_t farthest_hops(NpuId from) const;
  /// To the nearest other member.
  std::uint32_t nearest_hops(NpuId from) const;
  /// Between the two members farthest from each other.
  std::uint32_t diameter() const;

 private:
  const FabricTraits& fabric_;
  std::vector<bool> member_;
  // Of column + row, and of column - row + height.
  std::uint32_t sum_least_, sum_most_, skew_least_, skew_most_;
};

/// The rank with the fewest hops to the one farthest from it; the lowest of several.
std::uint32_t centre_rank(const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
