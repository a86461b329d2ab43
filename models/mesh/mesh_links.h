// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "models/mesh/mesh_params.h"

namespace wafertlm {

// The links of a mesh by number: 4 n + s leaves router n towards side s (east, west, north, south).

constexpr std::size_t kMeshSides = 4;
constexpr std::size_t mesh_link(NpuId router, Direction side) {
  return kMeshSides * index_of(router) + static_cast<std::size_t>(side);
}

/// By link: it does not work, or one of its ends does not, or the router has no neighbour there.
std::vector<bool> dead_links(const MeshParams& params, const MeshGeometry& geometry);

/// What each link carries.
class MeshRates {
 public:
  MeshRates(const MeshParams& params, const MeshGeometry& geometry);

  /// Those of rows are as fast as each other, and those of columns.
  bool are_even() const { return by_link_.empty(); }
  std::uint64_t of(Direction side) const {
    return side == Direction::north || side == Direction::south ? vertical_ : horizontal_;
  }
  std::uint64_t of(std::size_t link) const {
    return by_link_.empty() ? of(static_cast<Direction>(link % kMeshSides)) : by_link_[link];
  }

 private:
  std::uint64_t horizontal_, vertical_;
  std::vector<std::uint64_t> by_link_;  // empty: none is slow
};

}  // namespace wafertlm
