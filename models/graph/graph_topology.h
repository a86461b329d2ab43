// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "tlm/shape/fabric_graph.h"
#include "tlm/shape/link_graph.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

/// The shape of a fabric that a list of links describes. Its cuts: every switch, with the NPUs that hang on
/// it alone, against the rest.
class GraphTopology final : public Topology, public KnowsLinks {
 public:
  /// `dimensions`: of a graph that is made of several wafers, along which collectives can go; else none.
  explicit GraphTopology(std::shared_ptr<const FabricGraph> graph, Dimensions dimensions = {});

  std::uint32_t npus() const override { return graph_->npus(); }
  /// Also those of NPUs that hang on a switch.
  std::size_t links() const override { return graph_->links().size(); }
  TopologyLink link(std::size_t number) const override;
  std::string link_name(std::size_t number) const override;
  LinkGraph link_graph() const override;
  bool has_failed(std::size_t number) const override { return graph_->links()[number].dead; }
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override { return graph_->head_latency_ps(from, to); }
  /// Without the links of NPUs that hang on a switch.
  std::uint32_t hops(NpuId from, NpuId to) const override { return graph_->hops(from, to); }
  std::optional<std::vector<NpuId>> neighbors(NpuId npu) const override;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const override {
    return from == to ? port_bytes_per_s() : graph_->path_bytes_per_s(from, to);
  }
  std::uint64_t npu_sends_bytes_per_s(NpuId npu) const override { return graph_->npu_bytes_per_s(npu).first; }
  std::uint64_t npu_receives_bytes_per_s(NpuId npu) const override {
    return graph_->npu_bytes_per_s(npu).second;
  }
  /// All links, on the shortest ways there are, which routes need not take. Of up to 512 members.
  std::vector<Crossings> all_pairs_crossings(const Group& group) const override;
  /// The least of the fabric.
  std::unique_ptr<GroupDistances> distances(const Group&) const override {
    return equal_distances(graph_->shortest_latency_ps());
  }
  const Dimensions& dimensions() const override { return dimensions_; }

 private:
  std::shared_ptr<const FabricGraph> graph_;
  Dimensions dimensions_;
};

}  // namespace wafertlm
