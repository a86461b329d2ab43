// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Any fabric: NPUs and switches, links in one direction between them, and the routes. NPU n is vertex n, the
/// switches follow. Routes are the shortest ones, among equal ones through the link that comes first in the
/// list (but for Shortest::hops_in_turn), or those that were given.
class FabricGraph {
 public:
  struct Vertex {
    std::string name;
    TimePs pipeline_ps = 0;  ///< of a switch
  };
  struct Link {
    std::uint32_t from = 0, to = 0;  ///< vertices
    std::uint64_t bytes_per_s = 0;
    TimePs latency_ps = 0;
    /// Of links that go round (RingPort): the same number, from 1 on; 0: none. The dateline is where packets
    /// change to the other half of the channels.
    std::uint16_t ring = 0;
    bool dateline = false;
    bool dead = false;  ///< it is there and carries nothing
    /// From a freed buffer behind it to its sender; nullopt: as on the rest of the fabric.
    std::optional<TimePs> credit_delay_ps = {};
    /// Of that buffer, if it is made for the link: packets beside rate × round trip; and windows, each with
    /// that room, for packets that leave the switch behind through different exits.
    std::uint32_t buffer_packets = 3, windows = 1;
  };
  /// As graph files name the first two. hops_in_turn: of equally short ways each destination takes another
  /// one, in turn.
  enum class Shortest : std::uint8_t { hops, latency, hops_in_turn };

  /// By what the routes are found; up_down: those of up*/down* (Schroeder et al., Autonet, 1991), which
  /// cannot deadlock, over links that work in both directions.
  enum class Ways : std::uint8_t { shortest, up_down };

  /// `routes`: vertices from an NPU to another, in place of the shortest way; with dead links on them, and
  /// with up_down, they do not count.
  /// @throws std::invalid_argument: without dead links, an NPU that another cannot reach; a link from a
  /// vertex to itself, twice between the same two, or without bandwidth; a given route that is none.
  FabricGraph(std::uint32_t npus, std::vector<Vertex> vertices, std::vector<Link> links,
              Shortest shortest = Shortest::hops, const std::vector<std::vector<std::uint32_t>>& routes = {},
              Ways ways = Ways::shortest);

  std::uint32_t npus() const { return npus_; }
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<Link>& links() const { return links_; }
  /// Links by number, in the order of the list.
  const std::vector<std::uint32_t>& out_of(std::uint32_t vertex) const { return out_[vertex]; }
  const std::vector<std::uint32_t>& into(std::uint32_t vertex) const { return in_[vertex]; }
  /// An NPU with one link each way, to and from the same switch: it hangs on that one.
  bool is_leaf(std::uint32_t vertex) const { return leaf_[vertex]; }
  bool has_rings() const;
  bool has_dead_links() const;
  bool reaches(NpuId from, NpuId to) const;

  /// The link through which packets leave a vertex; not asked at their destination.
  std::uint32_t next_link(std::uint32_t vertex, NpuId source, NpuId destination) const;
  /// It does not depend on the source but for given routes.
  bool has_given_route(NpuId source, NpuId destination) const {
    return given_route(source, destination) != nullptr;
  }
  /// Empty: there is none.
  std::vector<std::uint32_t> route(NpuId from, NpuId to) const;
  /// Links on the way that are not those of leaves.
  std::uint32_t hops(NpuId from, NpuId to) const;
  TimePs head_latency_ps(NpuId from, NpuId to) const;
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const;
  /// Between any two NPUs.
  TimePs shortest_latency_ps() const { return shortest_latency_ps_; }
  /// All links out of an NPU, and into it; if all are dead, what they would carry.
  std::pair<std::uint64_t, std::uint64_t> npu_bytes_per_s(NpuId npu) const;
  /// The vertex of an NPU, or the switch that it hangs on.
  std::uint32_t cluster_of(NpuId npu) const;
  /// Of a vertex with the leaves on it: all links out of it, and into it; at least 1.
  std::pair<std::uint64_t, std::uint64_t> cluster_bytes_per_s(std::uint32_t vertex) const;

 private:
  void check_links() const;
  void find_routes(Shortest shortest);
  void find_fewest_hops(bool in_turn);
  template <typename Weight>
  void take_nearest(std::uint32_t npu, const std::vector<std::uint64_t>& distance, const Weight& weight,
                    bool in_turn);
  bool reaches_all(bool forwards) const;
  void find_up_down();
  std::vector<std::size_t> heights() const;
  bool works_both_ways(std::uint32_t link) const;
  std::pair<std::uint64_t, std::uint64_t> rates_of(std::uint32_t vertex, bool with_leaves) const;
  void take_routes(const std::vector<std::vector<std::uint32_t>>& routes);
  void require_reach() const;
  void find_shortest_latency();
  std::string name(std::uint32_t vertex) const { return vertices_[vertex].name; }

  std::uint32_t npus_;
  std::vector<Vertex> vertices_;
  std::vector<Link> links_;
  std::vector<std::vector<std::uint32_t>> out_, in_;  // by vertex
  std::vector<bool> leaf_;
  // [destination][vertex]: the place of the next link among those out of the vertex; half as large as numbers
  // of links, since of thousands of NPUs this is most of what a process holds.
  std::vector<std::uint16_t> next_;
  // [destination][source]: links of the shortest way by hops, all of them; empty if ways are found otherwise.
  std::vector<std::uint16_t> distance_;
  struct GivenRoute {
    std::uint32_t destination;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // by vertex, in ascending order
    bool operator<(const GivenRoute& other) const { return destination < other.destination; }
  };
  const GivenRoute* given_route(NpuId source, NpuId destination) const;
  std::vector<std::vector<GivenRoute>> given_;  // by source, by destination in ascending order
  TimePs shortest_latency_ps_ = kNever;
};

}  // namespace wafertlm
