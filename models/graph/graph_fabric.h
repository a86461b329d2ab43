// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "models/graph/graph_params.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

class RemoteLinks;

/// @throws std::invalid_argument: its routes can deadlock, with the links that wait for each other.
void require_no_cycle(const FabricGraph& graph);

/// The routes of a vertex.
class VertexRouting final : public RouteFunction {
 public:
  VertexRouting(const FabricGraph& graph, std::uint32_t vertex);
  PortId output_for(const Packet& packet) const override;
  std::uint32_t outputs() const { return own_port_ + 1; }

 private:
  const FabricGraph& graph_;
  std::uint32_t vertex_, own_port_;
  std::vector<std::uint32_t> port_of_;  // by link - first_link_
  std::uint32_t first_link_ = 0;
};

/// A fabric that a list of links describes (tlm/shape/fabric_graph.h). A switch for each of its switches, and
/// for each NPU with several links a node, which is a part of it and takes no time (as in
/// models/dimensional). An NPU that hangs on a switch has a port there, as on a mesh.
class GraphFabric final : public Fabric {
 public:
  /// Between an NPU with several links and its node: the fastest line there can be.
  static constexpr std::uint64_t kNoWireBytesPerS = (std::uint64_t{1} << 53) - 1;

  /// As of MeshFabric. Rings need classes with an even number of virtual channels. `remote`: only the wafers
  /// of its part are built, and links to others are bound to it.
  /// @throws std::invalid_argument: a packet larger than half an explicit buffer; a link and the switch
  /// behind it that take no time; routes that can deadlock, with the links that wait for each other.
  GraphFabric(const sc_core::sc_module_name& name, const GraphParams& params, const ClassTable& classes,
              Scheduler& scheduler, CheckerSet* checkers = nullptr, bool reverse = false,
              RemoteLinks* remote = nullptr);

  std::uint32_t npus() const override { return graph_.npus(); }
  std::uint32_t io_controllers() const override { return 0; }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  OutputParams injection_link() const override { return npu_link(NpuId{0}); }
  OutputParams npu_link(NpuId npu) const override;
  OutputParams io_link() const override { return injection_link(); }
  bool sends_on_lower_half() const override { return params_.npus_on_lower_half; }
  bool injection_is_wire() const override;
  const RouteFunction* port_routes(NpuId npu) const override;
  std::uint32_t ports(NpuId npu) const override;
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return params_.credit_delay_ps; }
  std::uint64_t message_bytes_per_s() const override { return params_.message_bytes_per_s; }
  std::uint64_t message_bytes_per_s_of(NpuId npu) const override;
  std::vector<std::uint8_t> exits(NpuId npu) const override {
    return params_.exits ? params_.exits(npu) : std::vector<std::uint8_t>();
  }
  std::string switch_of(NpuId endpoint) const override {
    return graph_.vertices()[graph_.cluster_of(endpoint)].name;
  }
  TimePs head_latency_ps(NpuId from, NpuId to) const override { return graph_.head_latency_ps(from, to); }
  std::string route_failure(NpuId from, NpuId to) const override;
  std::uint64_t bytes_per_s(const FabricLink& link) const override;

 private:
  bool is_here(std::uint32_t vertex) const;
  void bind_remote(std::uint32_t link);
  bool has_failures() const override { return graph_.has_dead_links() || !params_.failed_npus.empty(); }
  OutputParams output(std::uint32_t link) const;
  TimePs credit_delay_ps(const FabricGraph::Link& link) const {
    return link.credit_delay_ps.value_or(params_.credit_delay_ps);
  }
  SwitchModule& module_of(std::uint32_t vertex) { return *switches_[number_[vertex]]; }
  PortId input_of(std::uint32_t link) const;
  PortId output_of(std::uint32_t link) const;
  void make_switch(std::uint32_t vertex, const ClassTable& classes, Scheduler& scheduler);
  void bind_links();
  void check_params() const;

  GraphParams params_;
  const FabricGraph& graph_;
  const ClassTable& classes_;
  CheckerSet* checkers_;
  RemoteLinks* remote_;
  std::deque<VertexRouting> routing_;  // by vertex
  std::vector<std::size_t> number_;    // of the switch, by vertex
  std::vector<std::uint32_t> vertex_;  // by number of the switch
};

}  // namespace wafertlm
