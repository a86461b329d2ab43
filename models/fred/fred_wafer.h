// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/fred/flows/fred_flows.h"
#include "models/fred/fred_params.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

/// What the views of a FRED wafer have in common: SwitchModules, made and bound as a plan says, and the flows
/// through them.
class FredWafer : public Fabric {
 public:
  std::uint32_t npus() const final { return params_.geometry.npus(); }
  std::uint32_t io_controllers() const final {
    return static_cast<std::uint32_t>(params_.geometry.io.size());
  }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) final;
  const WireFormat& format() const final { return params_.format; }
  TimePs credit_delay_ps() const final { return params_.credit_delay_ps; }
  std::uint64_t message_bytes_per_s() const final { return params_.npu_bytes_per_s; }
  std::string switch_of(NpuId endpoint) const final {
    return nodes_[attached_[index_of(endpoint)].node].name;
  }
  TimePs head_latency_ps(NpuId from, NpuId to) const final;
  FlowControl* flow_control() final { return flows_ ? &flows_->admission() : nullptr; }
  const FlowControl* flow_control() const final { return flows_ ? &flows_->admission() : nullptr; }
  void list_state(StateVisitor& state) final;
  std::vector<std::string> pending_flows() const final;
  std::uint64_t queued_flow_packets() const final;

  const FredParams& params() const { return params_; }

 protected:
  /// Input and output of a switch, and what is at their other end.
  struct Port {
    std::string peer;  ///< its name, with a suffix if several links join the same two
    OutputParams link;
    TimePs credit_delay_ps = 0;  ///< of the input
    bool to_endpoint = false;
    std::uint32_t number = 0;  ///< of the endpoint or switch
    PortId input{};            ///< of that switch
    bool is_listed = true;     ///< among the links of the fabric; else it is a part of the endpoint
    bool at_endpoint = false;  ///< FabricLink::exit
  };
  struct Node {
    std::string name;
    TimePs pipeline_ps = 0;
    std::vector<Port> ports;
    bool has_phases = true;  ///< it is set for the flows of a phase
  };
  struct SwitchPort {
    std::uint32_t node;
    std::uint32_t port;
  };

  /// @throws std::invalid_argument: parameters that do not fit.
  FredWafer(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
            CheckerSet* checkers);

  // The plan. All ports of a switch must have something at their other end.
  std::uint32_t add_switch(const std::string& name, TimePs pipeline_ps, std::uint32_t ports);
  void join(SwitchPort below, const OutputParams& up, SwitchPort above, const OutputParams& down,
            const std::string& suffix = "");
  void hang(NpuId endpoint, SwitchPort at, const OutputParams& down);
  void set_without_phases(std::uint32_t node) { nodes_[node].has_phases = false; }
  Port& port(SwitchPort at) { return nodes_[at.node].ports[at.port]; }
  bool flows_settled() const { return !flows_ || flows_->is_settled(); }
  SwitchPort port_of(NpuId endpoint) const { return attached_[index_of(endpoint)]; }

  /// Makes and binds the switches of the plan, last ones first if `reverse`.
  void build(const std::vector<const RouteFunction*>& routes, Scheduler& scheduler, bool reverse);
  RouteCheck route_check(const std::vector<const RouteFunction*>& routes) const;
  /// `routing`: which flows the switches carry together; none: any.
  void start_flows(FlowPaths ways, std::shared_ptr<SwitchRoutes> routing, Scheduler& scheduler,
                   PacketPool& packets);

  const FredParams params_;
  std::uint32_t flow_stripes_ = 1;  ///< most of a flow

 private:
  OutputParams link_from(NpuId endpoint) const {
    return index_of(endpoint) < npus() ? injection_link() : io_link();
  }

  const ClassTable& classes_;
  CheckerSet* const checkers_;
  std::vector<Node> nodes_;  // by number of the switch
  std::vector<SwitchPort> attached_;
  std::unique_ptr<FredFlows> flows_;
};

}  // namespace wafertlm
