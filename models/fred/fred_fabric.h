// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/fred/flows/fred_flows.h"
#include "models/fred/flows/switch_routes.h"
#include "models/fred/fred_geometry.h"
#include "models/fred/routing/network.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

struct FredParams {
  FredGeometry geometry;
  std::uint64_t npu_bytes_per_s = 0;        ///< NPU to L1, and back
  std::uint64_t l1_uplink_bytes_per_s = 0;  ///< of an L1 switch to its L2 switch, and back
  std::uint64_t l2_uplink_bytes_per_s = 0;  ///< with three levels
  TimePs link_latency_ps = 0;               ///< of every link but those to I/O controllers
  TimePs stage_latency_ps = 0;              ///< of a µswitch
  TimePs credit_delay_ps = 0;
  WireFormat format;
  InputQueue input_queue = InputQueue::per_output;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;
  std::optional<FredFlowParams> flows;  ///< the switches reduce and distribute

  /// Ports of a switch of a level, in units of an NPU's port: a faster uplink counts as several.
  std::uint32_t ports(std::uint32_t level) const;
  TimePs pipeline_ps(std::uint32_t level) const {
    return FredNetwork::stages(ports(level)) * stage_latency_ps;
  }
  std::uint64_t uplink_bytes_per_s(std::uint32_t level) const {
    return level == 1 ? l1_uplink_bytes_per_s : l2_uplink_bytes_per_s;
  }
  /// Streams of an NPU's speed that a link carries side by side: each needs packets of its own in the buffer.
  std::uint64_t streams(std::uint64_t bytes_per_s) const;
  /// Latency of the head from NPU to NPU when the route turns at a switch of this level.
  TimePs head_latency_ps(std::uint32_t turn_level) const;
};

/// The ways of flows through a FRED wafer, with the orders in which its switches add. Switches and ports have
/// the numbers that FredFabric gives them.
FlowTree fred_flow_tree(const FredParams& params);

/// The ports of the interconnect that the ports of a switch of this level are. A port that is faster than an
/// NPU's is several.
std::vector<SwitchRoutes::Port> fred_ports(const FredParams& params, std::uint32_t level);

/// Which flows the switches of the logical view carry together.
std::shared_ptr<FlowRouting> fred_routes(const FredParams& params, const FlowTree& tree);

/// The logical view of a FRED wafer: a tree of SwitchModules with unicast routes up and down, and in-network
/// flows if the parameters have them. Switch numbers: the L1 switches, then the L2 switches, then the L3
/// switch.
class FredFabric final : public Fabric {
 public:
  /// As MeshFabric.
  FredFabric(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
             Scheduler& scheduler, PacketPool& packets, CheckerSet* checkers = nullptr, bool reverse = false);

  std::uint32_t npus() const override { return params_.geometry.npus(); }
  std::uint32_t io_controllers() const override {
    return static_cast<std::uint32_t>(params_.geometry.io.size());
  }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  /// With room for a window each of packets to NPUs on the L1 switch, up, and to controllers.
  OutputParams injection_link() const override;
  OutputParams io_link() const override;
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return params_.credit_delay_ps; }
  std::uint64_t message_bytes_per_s() const override { return params_.npu_bytes_per_s; }
  std::string switch_of(NpuId endpoint) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  std::vector<std::uint8_t> exits(NpuId npu) const override;
  FlowControl* flow_control() override { return flows_ ? &flows_->control() : nullptr; }
  const FlowControl* flow_control() const override { return flows_ ? &flows_->admission() : nullptr; }
  std::vector<std::string> pending_flows() const override;
  std::uint64_t queued_flow_packets() const override { return flows_ ? flows_->queued() : 0; }

  const FredParams& params() const { return params_; }

 private:
  /// A table by endpoint.
  struct Routing final : RouteFunction {
    PortId output_for(const Packet& packet) const override { return ports[index_of(packet.destination)]; }
    std::vector<PortId> ports;
  };
  /// The other end of a port: an endpoint or a switch.
  struct Port {
    bool to_endpoint;
    std::uint32_t number;
    PortId input{};  ///< of that switch
    OutputParams link;
  };
  struct Node {
    std::string name;
    std::uint32_t level;
    std::vector<Port> ports;
  };

  void check_params() const;
  void start_flows(Scheduler& scheduler, PacketPool& packets);
  void plan_nodes();
  void plan_routes();
  void bind_links();
  void check_routes() const;
  std::uint64_t buffer_bytes(std::uint64_t bytes_per_s, TimePs latency_ps, TimePs pipeline_ps) const;
  OutputParams link(std::uint64_t bytes_per_s, TimePs latency_ps, std::uint32_t to_level) const;
  std::uint32_t port_of(NpuId endpoint) const;

  FredParams params_;
  const ClassTable& classes_;
  CheckerSet* checkers_;
  std::vector<Node> nodes_;
  std::deque<Routing> routing_;
  std::unique_ptr<FredFlows> flows_;
};

}  // namespace wafertlm
