// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_topology.h"

#include <algorithm>

#include "models/dimensional/dimension_routing.h"

namespace wafertlm {
namespace {

using Kind = FabricDimension::Kind;

/// Links that leave an NPU: one to each coordinate if fully connected; else 0 upwards or to the switch, 1
/// downwards or from the switch.
std::size_t slots(const FabricDimension& dimension) {
  return dimension.kind == Kind::fully_connected ? dimension.size : 2;
}

/// No port is slower than all the links behind it.
EndpointPorts endpoint_ports(const DimensionalParams& params) {
  std::uint64_t rate = std::max<std::uint64_t>(params.dimensions.npu_bytes_per_s(), 1);
  for (const OtherLink& other : params.other_links)
    rate += params.dimensions[other.dimension].links() * other.bytes_per_s;
  return {rate, rate};
}

}  // namespace

DimensionalTopology::DimensionalTopology(const DimensionalParams& params)
    : Topology(endpoint_ports(params)), dimensions_(params.dimensions), first_link_{0} {
  for (std::size_t d = 0; d < dimensions_.count(); ++d)
    first_link_.push_back(first_link_.back() + npus() * slots(dimensions_[d]));
  for (std::size_t d = 0; d < dimensions_.count(); ++d) {
    const FabricDimension& dimension = dimensions_[d];
    const Uint128 lines = npus() / dimension.size;
    const std::uint64_t links = dimension.kind == Kind::line       ? 2 * (dimension.size - 1)
                                : dimension.kind == Kind::switched ? 2 * dimension.size
                                                                   : dimension.size * dimension.links();
    bytes_per_s_.push_back(lines * links * dimension.bytes_per_s);
  }
  // No less than they have.
  for (const OtherLink& other : params.other_links)
    bytes_per_s_[other.dimension] += Uint128{2} * dimensions_[other.dimension].links() * other.bytes_per_s;
}

std::optional<std::vector<NpuId>> DimensionalTopology::neighbors(NpuId npu) const {
  std::vector<NpuId> found;
  for (const DimensionPort& port : ports_of(npu, dimensions_))
    if (port.to != DimensionPort::To::to_switch)
      found.push_back(dimensions_.at(npu, port.dimension, port.coordinate));
  return found;
}

std::vector<Crossings> DimensionalTopology::all_pairs_crossings(const Group& group) const {
  std::vector<Crossings> sets;
  for (std::size_t d = 0; d < dimensions_.count(); ++d) {
    std::vector<std::uint32_t> coordinates;
    for (const NpuId npu : group) coordinates.push_back(dimensions_.coordinate(npu, d));
    sets.push_back({all_pairs_hops(dimensions_[d], coordinates), bytes_per_s_[d]});
  }
  return sets;
}

std::size_t DimensionalTopology::dimension_of(std::size_t link) const {
  return static_cast<std::size_t>(std::upper_bound(first_link_.begin(), first_link_.end(), link) -
                                  first_link_.begin()) -
         1;
}

std::size_t DimensionalTopology::number(std::size_t dimension, NpuId npu, std::size_t slot) const {
  return first_link_[dimension] + index_of(npu) * slots(dimensions_[dimension]) + slot;
}

TopologyLink DimensionalTopology::link(std::size_t number) const {
  const FabricDimension& dimension = dimensions_[dimension_of(number)];
  return {dimension.bytes_per_s, dimension.latency_ps};
}

std::string DimensionalTopology::link_name(std::size_t number) const {
  const std::size_t d = dimension_of(number), width = slots(dimensions_[d]);
  const std::size_t slot = (number - first_link_[d]) % width;
  const std::string node = "node" + std::to_string((number - first_link_[d]) / width),
                    port = ".d" + std::to_string(d) + "_";
  if (dimensions_[d].kind == Kind::fully_connected) return node + port + "to" + std::to_string(slot);
  if (dimensions_[d].kind == Kind::switched) return node + port + (slot == 0 ? "to_switch" : "from_switch");
  return node + port + (slot == 0 ? "next" : "previous");
}

void DimensionalTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  NpuId at = from;
  for (std::size_t d = 0; d < dimensions_.count(); ++d) {
    const std::uint32_t size = dimensions_[d].size, there = dimensions_.coordinate(to, d);
    std::uint32_t here = dimensions_.coordinate(at, d);
    if (here == there) continue;
    const NpuId end = dimensions_.at(at, d, there);
    if (dimensions_[d].kind == Kind::fully_connected) {
      route.push_back(number(d, at, there));
    } else if (dimensions_[d].kind == Kind::switched) {
      route.push_back(number(d, at, 0));
      route.push_back(number(d, end, 1));
    } else {
      const bool up = dimensions_[d].goes_up(here, there);
      for (; here != there; here = (here + (up ? 1 : size - 1)) % size)
        route.push_back(number(d, dimensions_.at(at, d, here), up ? 0 : 1));
    }
    at = end;
  }
}

}  // namespace wafertlm
