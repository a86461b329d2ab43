// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/dimensional/dimension_routing.h"
#include "models/dimensional/dimensional_params.h"
#include "models/messages/message_network.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

/// A fabric of dimensions (tlm/dimensions.h): a node per NPU, which is a switch with a port for each of its
/// links and one for the NPU, and the switches of switched dimensions. The node is a part of the NPU: between
/// them there is no wire, and what leaves the NPU waits for the port of a link
/// (models/endpoint/port_queues.h). Nodes and switches take no time; rings have dateline channels.
class DimensionalFabric final : public Fabric {
 public:
  /// As of MeshFabric. Rings need classes with an even number of virtual channels.
  /// @throws std::invalid_argument: a packet larger than half an explicit buffer; a link without bandwidth or
  /// latency; more queues than fit into memory; another link of an NPU or dimension that is not there.
  DimensionalFabric(const sc_core::sc_module_name& name, const DimensionalParams& params,
                    const ClassTable& classes, Scheduler& scheduler, CheckerSet* checkers = nullptr,
                    bool reverse = false);

  std::uint32_t npus() const override { return params_.dimensions.npus(); }
  std::uint32_t io_controllers() const override { return 0; }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  OutputParams injection_link() const override;
  OutputParams io_link() const override { return injection_link(); }
  bool injection_is_wire() const override { return false; }
  const RouteFunction* port_routes(NpuId npu) const override { return &node_routing_[index_of(npu)]; }
  std::uint32_t ports(NpuId npu) const override { return node_routing_[index_of(npu)].outputs(); }
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return params_.credit_delay_ps; }
  std::uint64_t message_bytes_per_s() const override { return 0; }
  TimePs lookahead_ps() const override;
  Region region_of(NpuId endpoint) const override { return static_cast<Region>(index_of(endpoint)); }
  std::string switch_of(NpuId endpoint) const override { return "node" + std::to_string(index_of(endpoint)); }
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  MessageService* messages() override { return network_.get(); }
  std::size_t switches() const override { return switch_count_; }
  OutputCounters counters(const FabricLink& link) const override;
  std::uint64_t bytes_per_s(const FabricLink& link) const override;
  std::uint64_t queued_packets() const override;
  void observe(LinkObserver& observer) override;

 private:
  /// The place of packets in an NPU when messages go another way.
  struct NoPackets final : FabricForwardIf, FabricBackwardIf {
    ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
  };

  void check_params() const;
  OutputParams link(NpuId npu, std::size_t dimension) const;
  OutputParams ejection() const;
  void make_nodes(const ClassTable& classes, Scheduler& scheduler, bool reverse);
  void make_node(std::uint32_t n, const ClassTable& classes, Scheduler& scheduler);
  void make_switches(const ClassTable& classes, Scheduler& scheduler);
  template <typename Visit>
  void for_each_link(const Visit& visit) const;
  void bind_links(const ClassTable& classes);
  void make_network(const ClassTable& classes, Scheduler& scheduler);
  void check_routes() const;
  std::size_t switch_number(NpuId npu, std::size_t dimension) const;

  DimensionalParams params_;
  const ClassTable& classes_;
  CheckerSet* checkers_;
  std::deque<NodeRouting> node_routing_;
  std::deque<SwitchRouting> switch_routing_;  // by dimension
  std::vector<std::size_t> first_switch_;     // by dimension: number of its first switch
  std::size_t switch_count_ = 0;
  std::unique_ptr<MessageNetwork> network_;  // in place of switches_
  NoPackets no_packets_;
};

}  // namespace wafertlm
