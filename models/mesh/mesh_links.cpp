// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_links.h"

#include <set>
#include <utility>

namespace wafertlm {

std::vector<bool> dead_links(const MeshParams& params, const MeshGeometry& geometry) {
  std::set<std::pair<NpuId, NpuId>> dead(params.failed_ways.begin(), params.failed_ways.end());
  for (const auto& [a, b] : params.failed_links) dead.insert({{a, b}, {b, a}});
  const std::set<NpuId> routers(params.failed_routers.begin(), params.failed_routers.end());
  std::vector<bool> links(kMeshSides * geometry.npus());
  for (std::size_t link = 0; link < links.size(); ++link) {
    const auto here = static_cast<NpuId>(link / kMeshSides);
    const auto side = static_cast<Direction>(link % kMeshSides);
    if (!geometry.has_neighbor(here, side)) {
      links[link] = true;
      continue;
    }
    const NpuId there = geometry.neighbor(here, side);
    links[link] = routers.count(here) != 0 || routers.count(there) != 0 || dead.count({here, there}) != 0;
  }
  return links;
}

MeshRates::MeshRates(const MeshParams& params, const MeshGeometry& geometry)
    : horizontal_(params.link_bytes_per_s), vertical_(params.vertical_bytes_per_s()) {
  if (params.slow_ways.empty()) return;
  for (std::size_t link = 0; link < kMeshSides * geometry.npus(); ++link)
    by_link_.push_back(of(static_cast<Direction>(link % kMeshSides)));
  for (const SlowWay& way : params.slow_ways) {
    std::uint64_t& rate = by_link_[mesh_link(way.from, geometry.next_direction(way.from, way.to))];
    rate = MeshParams::part_of(rate, way.speed_percent);
  }
}

}  // namespace wafertlm
