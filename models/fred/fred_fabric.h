// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <deque>
#include <vector>

#include "models/fred/flows/flow_tree.h"
#include "models/fred/flows/switch_routes.h"
#include "models/fred/fred_wafer.h"

namespace wafertlm {

/// The ways of flows through a FRED wafer, with the orders in which its switches add. Switches and ports have
/// the numbers that FredFabric gives them.
FlowTree fred_flow_tree(const FredParams& params);

/// The ports of the interconnect that the ports of a switch of this level are. A port that is faster than an
/// NPU's is several.
std::vector<SwitchRoutes::Port> fred_ports(const FredParams& params, std::uint32_t level);

/// Which flows the switches of the logical view carry together.
std::shared_ptr<SwitchRoutes> fred_routes(const FredParams& params, const FlowTree& tree);

/// The logical view of a FRED wafer: a tree of SwitchModules with unicast routes up and down, and in-network
/// flows if the parameters have them. Switch numbers: the L1 switches, then the L2 switches, then the L3
/// switch.
class FredFabric final : public FredWafer {
 public:
  /// As MeshFabric.
  FredFabric(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
             Scheduler& scheduler, PacketPool& packets, CheckerSet* checkers = nullptr, bool reverse = false);

  /// With room for a window each of packets to NPUs on the L1 switch, up, and to controllers.
  OutputParams injection_link() const override;
  OutputParams io_link() const override;
  std::vector<std::uint8_t> exits(NpuId npu) const override;
  /// A region is a switch with its endpoints. 0 while flows are entered, which takes no time.
  TimePs lookahead_ps() const override {
    return flows_settled() ? std::min(params_.link_latency_ps, params_.credit_delay_ps) : 0;
  }
  Partition partition_of(NpuId endpoint) const override { return port_of(endpoint).node; }

 private:
  /// A table by endpoint.
  struct Routing final : RouteFunction {
    PortId output_for(const Packet& packet) const override { return ports[index_of(packet.destination)]; }
    std::vector<PortId> ports;
  };

  void plan_switches();
  void plan_routes();
  OutputParams link(std::uint64_t bytes_per_s, TimePs latency_ps, std::uint32_t to_level) const;

  std::deque<Routing> routing_;
};

}  // namespace wafertlm
