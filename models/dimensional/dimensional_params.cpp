// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_params.h"

#include <utility>

namespace wafertlm {
Dimensions dimensions_of(const std::vector<DimensionGroup>& groups, bool opposite_is_up) {
  using Kind = FabricDimension::Kind;
  // By DimensionGroup::Topology.
  constexpr Kind kKinds[] = {Kind::ring, Kind::fully_connected, Kind::switched, Kind::line, Kind::ring};
  std::vector<FabricDimension> list;
  for (const DimensionGroup& each : groups) {
    const std::vector<std::uint32_t> sides =
        each.shape.empty() ? std::vector<std::uint32_t>{each.size} : each.shape;
    for (const std::uint32_t side : sides)
      list.push_back({kKinds[static_cast<std::size_t>(each.topology)], side, each.bytes_per_s,
                      each.latency_ps, opposite_is_up,
                      static_cast<std::uint64_t>(static_cast<double>(each.bytes_per_s) * each.in_network)});
  }
  return Dimensions(std::move(list));
}

}  // namespace wafertlm
