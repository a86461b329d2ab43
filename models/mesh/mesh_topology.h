// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <optional>

#include "models/mesh/detour_routes.h"
#include "models/mesh/mesh_geometry.h"
#include "models/mesh/mesh_params.h"
#include "tlm/shape/link_graph.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

/// The shape of a mesh: rows and columns, whose links have a rate each, some perhaps less; X-Y routes, and
/// around failed parts DetourRoutes. Link 4 n + s leaves router n towards side s (east, west, north, south).
class MeshTopology final : public Topology, public KnowsLinks {
 public:
  explicit MeshTopology(const MeshParams& params);

  const MeshGeometry& geometry() const { return geometry_; }
  std::uint32_t npus() const override { return geometry_.npus(); }
  std::size_t links() const override { return std::size_t{4} * npus(); }
  TopologyLink link(std::size_t number) const override { return {rates_.of(number), ends_ps_ + hop_ps_}; }
  std::string link_name(std::size_t number) const override;
  bool has_failed(std::size_t number) const override { return !dead_.empty() && dead_[number]; }
  /// Null: every router and link works, or routes are X-Y all the same (MeshParams::has_detours).
  const DetourRoutes* detours() const { return detours_.get(); }
  /// NPU n hangs on router n, vertex npus() + n; without I/O controllers, and links that have failed.
  LinkGraph link_graph() const override;
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override { return head_latency_ps(hops(from, to)); }
  TimePs head_latency_ps(std::uint32_t hop_count) const { return ends_ps_ + hop_count * hop_ps_; }
  std::uint32_t hops(NpuId from, NpuId to) const override {
    return detours_ ? detours_->hops(geometry_.router(from), geometry_.router(to)) : geometry_.hops(from, to);
  }
  std::optional<std::vector<NpuId>> neighbors(NpuId npu) const override;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const override;
  std::uint64_t npu_sends_bytes_per_s(NpuId npu) const override {
    return std::min(ports().injection_bytes_per_s, links_bytes_per_s(npu).out);
  }
  std::uint64_t npu_receives_bytes_per_s(NpuId npu) const override {
    return std::min(ports().ejection_bytes_per_s, links_bytes_per_s(npu).in);
  }
  /// Without holes and slow links a message costs O(1): only the ends of its stretches along a row and a
  /// column are noted.
  std::unique_ptr<LinkLoads> link_loads() const override;
  /// Without looking at pairs, as distances(), if there are no holes and slow links.
  AllPairs all_pairs(const Group& group) const override;
  std::vector<Crossings> all_pairs_crossings(const Group& group) const override;
  std::unique_ptr<GroupDistances> distances(const Group& group) const override;
  /// A cycle of neighbours if the group is a whole rectangle with an even side, else a snake along the rows.
  /// Around failed parts the shorter of this and the default.
  std::vector<std::uint32_t> ring_order(const Group& group) const override;
  /// Of a full rectangle neighbours only: from the root along its row, then along every column. Around failed
  /// parts the default.
  std::vector<std::uint32_t> spanning_parents(const Group& group, std::uint32_t root) const override;
  /// Of a full rectangle with both sides longer than 1 whose links all work, in two parts. A ring's edges
  /// differ in length (its last one runs back along the others), so a step takes the mean latency of the
  /// worst n - 1 of them.
  std::optional<GroupGrid> group_grid(const Group& group) const override;
  std::string grid_rule() const override {
    return detours_ ? "a full rectangle with both sides longer than 1, whose links all work"
                    : "a full rectangle with both sides longer than 1";
  }
  bool has_one_port() const override { return false; }

  std::uint32_t io_controllers() const override { return static_cast<std::uint32_t>(io_.size()); }
  /// The rule of the FRED paper's I/O arithmetic: from the left or right edge along the row, then up and down
  /// every column; from the top or bottom along the column, then along every row. Branches without members
  /// are cut off, and who is left between members passes on. Around failed parts breadth first over links
  /// that work.
  std::vector<IoParents> io_trees(std::uint32_t controller,
                                  const std::vector<bool>& is_member) const override;
  IoPlace io_place(std::uint32_t controller) const override;

 private:
  /// There is a link, and it works.
  bool works(NpuId router, Direction side) const {
    return geometry_.has_neighbor(router, side) && !has_failed(mesh_link(router, side));
  }
  /// 0: there is none, or it does not work.
  std::uint64_t rate(NpuId router, Direction side) const {
    return works(router, side) ? rates_.of(mesh_link(router, side)) : 0;
  }
  /// Of links along the rows, or along the columns, between members of a group.
  std::uint64_t slowest_bytes_per_s(const Group& group, Direction out, Direction in) const;
  CutFamily straight_cuts(Direction out, Direction in) const;
  bool is_whole(const Group& group) const;
  IoParents tree_around_holes(std::uint32_t controller, const std::vector<bool>& is_member) const;
  /// Of all links of a router that work; if there are none, over which nothing goes, as of one.
  CutFamily::Rate links_bytes_per_s(NpuId router) const;

  NpuId io_parent(NpuId npu, const IoPort& port) const;

  MeshGeometry geometry_;
  std::vector<IoPort> io_;
  MeshRates rates_;
  TimePs ends_ps_;              // injection, the first router's pipeline, ejection
  TimePs hop_ps_;               // link and the next router's pipeline
  std::vector<bool> dead_npu_;  // by NPU: it, or its router, does not work
  std::vector<bool> dead_;      // by link; empty: all work
  std::shared_ptr<const DetourRoutes> detours_;
};

}  // namespace wafertlm
