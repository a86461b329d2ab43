// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/physical/stripes.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

/// What a packet's way depends on; everything that routes in the physical view refers to one of these.
struct ChipRouting {
  ChipWiring wiring;
  Stripes stripes;

  explicit ChipRouting(const ChipWiring& of) : wiring(of), stripes(of) {}
  std::uint32_t l1_of(NpuId endpoint) const { return wiring.geometry().l1_of(endpoint); }
  std::uint32_t way_of(const Packet& packet) const {
    return stripes.way(l1_of(packet.source), l1_of(packet.destination), packet.lane);
  }
};

/// Of the ports of an endpoint.
class PortsRoute final : public RouteFunction {
 public:
  PortsRoute(const ChipRouting& routing, NpuId endpoint) : routing_(routing), endpoint_(endpoint) {}
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(packet.destination == endpoint_
                                   ? ChipWiring::kEndpointPort
                                   : routing_.wiring.chip_port(routing_.way_of(packet)));
  }

 private:
  const ChipRouting& routing_;
  NpuId endpoint_;
};

/// Of a chip of an L1 switch.
class L1ChipRoute final : public RouteFunction {
 public:
  L1ChipRoute(const ChipRouting& routing, std::uint32_t l1) : routing_(routing), l1_(l1) {}
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(routing_.l1_of(packet.destination) == l1_
                                   ? routing_.wiring.port_of(packet.destination)
                                   : routing_.wiring.up_port(routing_.way_of(packet)));
  }

 private:
  const ChipRouting& routing_;
  std::uint32_t l1_;
};

/// Of an L2 chip: down where the packet came up.
class L2ChipRoute final : public RouteFunction {
 public:
  explicit L2ChipRoute(const ChipRouting& routing) : routing_(routing) {}
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(
        routing_.wiring.l2_port(routing_.l1_of(packet.destination), routing_.way_of(packet)));
  }

 private:
  const ChipRouting& routing_;
};

}  // namespace wafertlm
