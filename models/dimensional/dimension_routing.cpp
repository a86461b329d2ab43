// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimension_routing.h"

namespace wafertlm {

std::vector<DimensionPort> ports_of(NpuId npu, const Dimensions& dimensions) {
  using Kind = FabricDimension::Kind;
  using To = DimensionPort::To;
  std::vector<DimensionPort> ports;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    const std::uint32_t size = dimensions[d].size, own = dimensions.coordinate(npu, d);
    if (size < 2) continue;
    switch (dimensions[d].kind) {
      case Kind::ring:
        ports.push_back({d, To::next, (own + 1) % size});
        ports.push_back({d, To::previous, (own + size - 1) % size});
        break;
      case Kind::line:
        if (own + 1 < size) ports.push_back({d, To::next, own + 1});
        if (own > 0) ports.push_back({d, To::previous, own - 1});
        break;
      case Kind::fully_connected:
        for (std::uint32_t peer = 0; peer < size; ++peer)
          if (peer != own) ports.push_back({d, To::peer, peer});
        break;
      case Kind::switched:
        ports.push_back({d, To::to_switch, own});
        break;
    }
  }
  return ports;
}

std::string name_of(const DimensionPort& port) {
  constexpr const char* kWords[] = {"_next", "_previous", "_to", "_switch"};
  return "d" + std::to_string(port.dimension) + kWords[static_cast<std::size_t>(port.to)] +
         (port.to == DimensionPort::To::peer ? std::to_string(port.coordinate) : "");
}

NodeRouting::NodeRouting(const Dimensions& dimensions, NpuId npu) {
  const std::vector<DimensionPort> ports = ports_of(npu, dimensions);
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (dimensions[d].size < 2) continue;
    axes_.push_back({dimensions.stride(d), dimensions.coordinate(npu, d), own_port_, dimensions[d]});
    while (own_port_ < ports.size() && ports[own_port_].dimension == d) ++own_port_;
  }
}

PortId NodeRouting::output_for(const Packet& packet) const {
  const auto destination = static_cast<std::uint32_t>(packet.destination);
  for (const Axis& axis : axes_) {
    const std::uint32_t there = destination / axis.stride % axis.is.size;
    if (there == axis.coordinate) continue;
    switch (axis.is.kind) {
      case FabricDimension::Kind::ring:
        return static_cast<PortId>(axis.first_port + (axis.is.goes_up(axis.coordinate, there) ? 0 : 1));
      case FabricDimension::Kind::line: {
        const bool both = axis.coordinate > 0 && axis.coordinate + 1 < axis.is.size;
        return static_cast<PortId>(axis.first_port + (both && there < axis.coordinate ? 1 : 0));
      }
      case FabricDimension::Kind::fully_connected:
        return static_cast<PortId>(axis.first_port + there - (there > axis.coordinate ? 1 : 0));
      case FabricDimension::Kind::switched:
        return static_cast<PortId>(axis.first_port);
    }
  }
  return static_cast<PortId>(own_port_);
}

}  // namespace wafertlm
