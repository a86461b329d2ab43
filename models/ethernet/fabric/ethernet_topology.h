// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "models/ethernet/fabric/ethernet_fabric_params.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

/// The shape of an Ethernet. A link is a port's cable, in its direction. Of several equal ways a route takes
/// one by a hash, as ECMP does: for loads as they are on the average; which one a queue pair takes in a run
/// depends on its number. Its cuts: every switch with the NPUs on it, or every server, against the rest. Its
/// dimensions are logical: NPUs that differ in one coordinate only are joined by switches.
class EthernetTopology final : public Topology {
 public:
  explicit EthernetTopology(const EthernetFabricParams& params);

  std::uint32_t npus() const override { return places_.network.hosts(); }
  std::size_t links() const override { return places_.ports(); }
  TopologyLink link(std::size_t number) const override;
  std::string link_name(std::size_t number) const override {
    return places_.port_name(static_cast<std::uint32_t>(number));
  }
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  /// Without the time that switches need to store a packet.
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  std::uint32_t hops(NpuId from, NpuId to) const override;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const override;
  std::uint64_t npu_sends_bytes_per_s(NpuId npu) const override {
    return host_cable(npu).bytes_per_s + (places_.inside ? server_bytes_per_s_ : 0);
  }
  std::uint64_t npu_receives_bytes_per_s(NpuId npu) const override { return npu_sends_bytes_per_s(npu); }
  std::uint32_t server_npus() const override { return places_.inside ? server_npus_ : 0; }
  bool has_one_port() const override { return !places_.inside; }
  /// A row for each server, if all have equally many members, two or more.
  std::optional<GroupGrid> group_grid(const Group& group) const override;
  std::string grid_rule() const override { return "equally many members in several servers"; }
  const Dimensions& dimensions() const override { return dimensions_; }
  /// Who gives dimensions wants to go by them, as in ASTRA-sim.
  bool keeps_rule_when_small() const override { return dimensions_.count() != 0; }
  /// All links, on the shortest ways. Of up to 512 members.
  std::vector<Crossings> all_pairs_crossings(const Group& group) const override;
  /// The least of the fabric.
  std::unique_ptr<GroupDistances> distances(const Group&) const override {
    return equal_distances(shortest_ps_);
  }
  std::uint32_t attached_switch(NpuId npu) const override {
    return places_.network.switch_of(host(npu)) - places_.network.hosts();
  }

 private:
  std::uint32_t host(NpuId npu) const { return places_.host_of[index_of(npu)]; }
  const ethernet::Port& host_cable(NpuId npu) const {
    return places_.network.ports()[places_.network.host_port(host(npu))];
  }
  /// Of cables that differ: of one of the ways.
  TimePs walked_ps(NpuId from, NpuId to) const;
  TimePs way_ps(std::uint32_t cables) const {
    return cables * link_latency_ps_ + (cables - 1) * pipeline_ps_;
  }

  const EthernetPlaces places_;
  const bool is_regular_;
  const TimePs link_latency_ps_, pipeline_ps_;
  const std::uint32_t server_npus_;
  const std::uint64_t server_bytes_per_s_;
  const TimePs server_latency_ps_;
  Dimensions dimensions_;
  std::uint64_t path_bytes_per_s_ = 0;
  TimePs shortest_ps_ = kNever;
};

}  // namespace wafertlm
