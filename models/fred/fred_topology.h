// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/fred_params.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

/// The shape of a FRED wafer: a tree of switches whose routes go up and down. Links are the uplinks of the L1
/// switches, the way back to each of them, and with three levels the same of the L2 switches.
class FredTopology final : public Topology {
 public:
  explicit FredTopology(const FredParams& params);

  const FredGeometry& geometry() const { return geometry_; }

  std::uint32_t npus() const override { return geometry_.npus(); }
  std::size_t links() const override;
  TopologyLink link(std::size_t number) const override;
  std::string link_name(std::size_t number) const override;
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  std::uint32_t hops(NpuId from, NpuId to) const override;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const override;
  /// A flow costs as much as it has members.
  std::unique_ptr<LinkLoads> link_loads() const override;
  /// Without looking at pairs.
  std::unique_ptr<GroupDistances> distances(const Group& group) const override;
  /// By NPU, so that an uplink is crossed once in each direction.
  std::vector<std::uint32_t> ring_order(const Group& group) const override { return ranks_by_npu(group); }
  /// A chain: a switch has no neighbours, and a second child would halve the rate. From the root to the
  /// others on its L1 switch, then to those on its L2 switch, then to the rest; every uplink is crossed once
  /// in each direction.
  std::vector<std::uint32_t> spanning_parents(const Group& group, std::uint32_t root) const override;
  /// A row is what hangs on an L1 switch; each must have as many members. All of the vector goes along the
  /// rows first, so that the uplinks carry as little as can be.
  std::optional<GroupGrid> group_grid(const Group& group) const override;
  std::string grid_rule() const override { return "several L1 switches with equally many NPUs, two or more"; }
  std::uint64_t npu_sends_bytes_per_s(NpuId npu) const override { return npu_rate_[geometry_.l1_of(npu)]; }
  std::uint64_t npu_receives_bytes_per_s(NpuId npu) const override { return npu_sends_bytes_per_s(npu); }
  std::uint32_t attached_switch(NpuId npu) const override { return geometry_.l1_of(npu); }

  std::uint32_t io_controllers() const override { return static_cast<std::uint32_t>(geometry_.io.size()); }
  /// Chains of members, each byte crosses every uplink at most once in each direction. A stream has a chain
  /// for each NPU of an L1 switch, up to kMaxChains: the NPUs then send equal parts of what crosses an
  /// uplink.
  std::vector<IoParents> io_trees(std::uint32_t controller,
                                  const std::vector<bool>& is_member) const override;
  /// At the start every leaf sends as fast as its port allows, for all controllers and chains in which it is
  /// one, then also the NPUs behind the leaves, and so on: at hop i an NPU is among the first i of
  /// npus_per_l1 in so many chains. Weights come at the controllers' rate and find idle ports.
  std::optional<std::uint64_t> shared_ports(std::uint32_t hops) const override;
  IoPlace io_place(std::uint32_t controller) const override;

 private:
  static constexpr std::uint32_t kMaxChains = 4;

  void leave_out_dead(const FredParams& params);
  bool has_l3() const { return geometry_.levels() == 3; }
  std::size_t uplink(std::uint32_t level, bool up, std::uint32_t number) const;
  TimePs turn_ps(std::uint32_t level) const { return turn_ps_[level - 1]; }
  std::uint32_t chains() const;
  IoParents io_chain(std::uint32_t controller, std::uint32_t chain, const std::vector<bool>& is_member) const;

  FredGeometry geometry_;
  std::vector<std::uint64_t> uplink_rate_, npu_rate_;  // by L1 switch; npu: of each of its NPUs
  std::uint64_t l2_uplink_bytes_per_s_;
  std::vector<TimePs> turn_ps_;  // of the head from NPU to NPU, when the route turns at level 1, 2, …
  TimePs npu_link_ps_;           // the part of an NPU's link, once
};

}  // namespace wafertlm
