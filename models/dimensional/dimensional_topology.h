// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dimensional/dimensional_params.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

/// The shape of a fabric of dimensions. Routes go through the dimensions in order, on a ring the shorter way.
/// Links that differ from those of their dimension only count at the NPU's port. No cuts: a bound looks at
/// the NPUs' links alone.
class DimensionalTopology final : public Topology {
 public:
  explicit DimensionalTopology(const DimensionalParams& params);

  std::uint32_t npus() const override { return dimensions_.npus(); }
  std::size_t links() const override { return first_link_.back(); }
  TopologyLink link(std::size_t number) const override;
  std::string link_name(std::size_t number) const override;
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override {
    return dimensions_.head_latency_ps(from, to);
  }
  std::uint32_t hops(NpuId from, NpuId to) const override { return dimensions_.hops(from, to); }
  std::optional<std::vector<NpuId>> neighbors(NpuId npu) const override;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const override {
    return dimensions_.path_bytes_per_s(from, to, port_bytes_per_s());
  }
  std::vector<Crossings> all_pairs_crossings(const Group& group) const override;
  /// The least of the fabric.
  std::unique_ptr<GroupDistances> distances(const Group&) const override {
    return equal_distances(dimensions_.shortest_latency_ps());
  }
  /// By NPU.
  std::vector<std::uint32_t> ring_order(const Group& group) const override { return ranks_by_npu(group); }
  const Dimensions& dimensions() const override { return dimensions_; }
  bool keeps_rule_when_small() const override { return true; }

 private:
  std::size_t dimension_of(std::size_t link) const;
  std::size_t number(std::size_t dimension, NpuId npu, std::size_t slot) const;

  Dimensions dimensions_;
  std::vector<Uint128> bytes_per_s_;     // by dimension, of all its links
  std::vector<std::size_t> first_link_;  // by dimension, and behind the last one
};

}  // namespace wafertlm
