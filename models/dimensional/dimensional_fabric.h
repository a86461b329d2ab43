// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/dimensional/dimension_routing.h"
#include "models/dimensional/dimensional_params.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

/// A fabric of dimensions (tlm/shape/dimensions.h): a node per NPU, with a port for each of its links, and
/// the switches of switched dimensions. The node is a part of the NPU: between them there is no wire, and
/// what leaves the NPU waits for the port of a link (models/endpoint/port_queues.h). Nodes and switches take
/// no time. What goes through them is the implementation's: DimensionalSwitches (packets),
/// DimensionalMessages.
class DimensionalFabric : public Fabric {
 public:
  std::uint32_t npus() const override { return params_.dimensions.npus(); }
  std::uint32_t io_controllers() const override { return 0; }
  OutputParams injection_link() const override;
  OutputParams io_link() const override { return injection_link(); }
  bool injection_is_wire() const override { return false; }
  const RouteFunction* port_routes(NpuId npu) const override { return &node_routing_[index_of(npu)]; }
  std::uint32_t ports(NpuId npu) const override { return node_routing_[index_of(npu)].outputs(); }
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return params_.credit_delay_ps; }
  std::uint64_t message_bytes_per_s() const override { return 0; }
  Partition partition_of(NpuId endpoint) const override { return static_cast<Partition>(index_of(endpoint)); }
  std::string switch_of(NpuId endpoint) const override { return "node" + std::to_string(index_of(endpoint)); }
  TimePs head_latency_ps(NpuId from, NpuId to) const override {
    return params_.dimensions.head_latency_ps(from, to);
  }
  std::size_t switches() const override { return switch_count_; }

 protected:
  /// Links have at least `least_latency_ps`.
  DimensionalFabric(const sc_core::sc_module_name& name, const DimensionalParams& params,
                    TimePs least_latency_ps);

  /// A dimension with switches in it.
  bool is_switched(std::size_t d) const {
    return params_.dimensions[d].kind == FabricDimension::Kind::switched && params_.dimensions[d].size > 1;
  }
  /// Of the switch with this number.
  std::size_t switched_dimension(std::size_t number) const;
  /// What in-network flows get of the link that leaves `from`, a node or switch, through `output`; 0: none.
  std::uint64_t flow_rate(std::size_t from, PortId output) const;
  OutputParams link(NpuId npu, std::size_t dimension) const;
  std::size_t switch_number(NpuId npu, std::size_t dimension) const;
  /// visit(name, from, output, to, input, parameters) for every link between nodes and switches.
  void for_each_link(const std::function<void(const std::string&, std::size_t, PortId, std::size_t, PortId,
                                              const OutputParams&)>& visit) const;

  DimensionalParams params_;
  std::deque<NodeRouting> node_routing_;
  std::deque<SwitchRouting> switch_routing_;  // by dimension

 private:
  void check_params(TimePs least_latency_ps) const;

  std::vector<std::size_t> first_switch_;  // by dimension: number of its first switch
  std::size_t switch_count_ = 0;           // with the nodes
};

/// The implementation that `params.messages` names; the rest as of MeshFabric. With packets rings need
/// classes with an even number of virtual channels.
/// @throws std::invalid_argument: a packet larger than half an explicit buffer; a link without bandwidth or,
/// for packets, latency; more queues than fit into memory; another link of an NPU or dimension that is not
/// there.
std::unique_ptr<Fabric> make_dimensional_fabric(const sc_core::sc_module_name& name,
                                                const DimensionalParams& params, const ClassTable& classes,
                                                Scheduler& scheduler, CheckerSet* checkers = nullptr,
                                                bool reverse = false);

}  // namespace wafertlm
