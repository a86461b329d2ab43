// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_params.h"

#include <utility>

namespace wafertlm {
namespace {

FabricDimension::Kind kind_of(DimensionGroup::Topology topology) {
  switch (topology) {
    case DimensionGroup::Topology::fully_connected:
      return FabricDimension::Kind::fully_connected;
    case DimensionGroup::Topology::switched:
      return FabricDimension::Kind::switched;
    case DimensionGroup::Topology::mesh:
      return FabricDimension::Kind::line;
    case DimensionGroup::Topology::ring:
    case DimensionGroup::Topology::torus:
      break;
  }
  return FabricDimension::Kind::ring;
}

}  // namespace

Dimensions dimensions_of(const std::vector<DimensionGroup>& groups) {
  std::vector<FabricDimension> list;
  for (const DimensionGroup& each : groups) {
    const std::vector<std::uint32_t> sides =
        each.shape.empty() ? std::vector<std::uint32_t>{each.size} : each.shape;
    for (const std::uint32_t side : sides)
      list.push_back({kind_of(each.topology), side, each.bytes_per_s, each.latency_ps});
  }
  return Dimensions(std::move(list));
}

}  // namespace wafertlm
