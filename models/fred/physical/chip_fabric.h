// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "models/fred/flows/flow_tree.h"
#include "models/fred/fred_wafer.h"
#include "models/fred/geometry/chip_wiring.h"
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

/// The ways of flows over the chips of a FRED wafer, with the orders in which these add. Switches and ports
/// have the numbers of ChipWiring.
FlowPaths chip_flow_paths(const FredParams& params, const Stripes& stripes, const ChipWiring& wiring);

/// The physical view of a FRED wafer: SwitchModules for its chips, with ports of one speed, over which the
/// packets of messages and flows are striped. Every endpoint has a SwitchModule more, its ports: no wire and
/// no time, it shares out what the endpoint sends and brings together what it gets. Dead chips are there and
/// idle. Numbers as in ChipWiring.
class FredChipFabric final : public FredWafer {
 public:
  /// As MeshFabric; `params` has chips.
  /// @throws std::invalid_argument, too: L1 switches between which no chips live, or, with flows, no way that
  /// serves all of them.
  FredChipFabric(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
                 Scheduler& scheduler, PacketPool& packets, CheckerSet* checkers = nullptr,
                 bool reverse = false);

  OutputParams injection_link() const override { return between(params_.npu_bytes_per_s, 0); }
  OutputParams io_link() const override { return between(params_.io_bytes_per_s, 0); }
  bool striped() const override { return true; }
  bool injection_is_wire() const override { return false; }

 private:
  void plan_switches();
  void plan_endpoint(NpuId endpoint);
  OutputParams between(std::uint64_t bytes_per_s, TimePs credit_delay_ps) const;
  OutputParams link(TimePs latency_ps, std::uint32_t to_level, std::uint32_t ways) const;

  /// Beyond the round trip, with auto: all-to-all needs six, as a port's packets wait for different outputs.
  static constexpr std::uint64_t kPacketsPerPort = 8;

  const ChipRouting routing_;
  std::deque<PortsRoute> ports_routes_;
  std::deque<L1ChipRoute> l1_routes_;
  L2ChipRoute l2_route_;
};

}  // namespace wafertlm
