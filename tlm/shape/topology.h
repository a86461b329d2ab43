// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"
#include "tlm/shape/dimensions.h"
#include "tlm/shape/link_loads.h"

namespace wafertlm {

struct EndpointPorts {
  std::uint64_t injection_bytes_per_s = 0, ejection_bytes_per_s = 0;  ///< of an NPU, all its links together
  std::uint64_t io_bytes_per_s = 0;  ///< between an I/O controller and its router or switch, each direction
  TimePs io_latency_ps = 0;          ///< of that link
};

/// Head latencies within a group of at least two, for lower bounds: each may be less than the true one.
class GroupDistances {
 public:
  virtual ~GroupDistances() = default;
  virtual TimePs nearest_ps(NpuId npu) const = 0;
  virtual TimePs farthest_ps(NpuId npu) const = 0;
};

/// Of the messages between all members of a group.
struct AllPairs {
  TimePs head_ps = 0;             ///< the longest
  std::uint64_t bytes_per_s = 0;  ///< the slowest path
};

/// A group in rows and columns, for hierarchical algorithms: `at` = rank at row · width + column.
struct GroupGrid {
  /// A ring along a row or column whose members all send to the next one at the same time.
  struct Ring {
    std::uint64_t bytes_per_s = 0;
    TimePs head_ps = 0;  ///< of a step of the ring, as a mean over its edges but the shortest
  };
  std::uint32_t width = 0, height = 0;  ///< both above 1
  std::uint32_t parts = 2;              ///< of the vector, with opposite order of rows and columns
  std::vector<std::uint32_t> at;
  Ring row, column;
};

/// Cuts that divide the NPUs, as data: which part an NPU is in, and what crosses the border of a part.
struct CutFamily {
  enum class Kind : std::uint8_t {
    prefixes,  ///< cut c: parts 0 … c against those behind
    isolated,  ///< cut c: part c against all others
  };
  struct Rate {
    std::uint64_t out = 0, in = 0;  ///< bytes/s of all links that leave (enter) parts 0 … c, or part c
  };
  Kind kind = Kind::isolated;
  std::vector<std::uint32_t> part_of;  ///< by NPU
  std::vector<Rate> rates;             ///< by cut; one part more than cuts of prefixes
  /// What crosses a cut has the way to the nearest member to go, too.
  bool adds_latency = true;
  /// Isolated parts of equal rates hang on a tree: without reduction on the way, an all-reduce brings
  /// 2(n - 1) vectors across the borders of the n parts that have members (n - 1 until the first knows the
  /// sum, then to each of the others).
  bool counts_vectors = false;
};

/// A tree from an I/O controller to NPUs, by NPU: the endpoint from which it gets the stream; kNoNpu: not in
/// the tree.
using IoParents = std::vector<NpuId>;
constexpr NpuId kNoNpu = static_cast<NpuId>(~std::uint32_t{0});

/// A set of links that messages cannot avoid: how many of them a message from every member of a group to
/// every other crosses at least, whatever way it takes, and what all links of the set carry.
struct Crossings {
  Uint128 links = 0;
  Uint128 bytes_per_s = 0;
};

/// The shape of a fabric, for all that plans, predicts and bounds what goes over it (workloads/collectives).
/// NPUs are endpoints 0 … npus() - 1, I/O controller k is endpoint npus() + k. Free of SystemC; a fabric's
/// implementation stands in the folder of its model.
///
/// A new fabric says its NPUs, its links and its routes; all else has a default that follows from the routes,
/// and may be overridden where the fabric knows better or faster. References that are handed out, and what
/// link_loads() and distances() return, are valid as long as the topology.
class Topology {
 public:
  explicit Topology(const EndpointPorts& ports) : ports_(ports) {}
  virtual ~Topology() = default;
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  // What every fabric says.

  virtual std::uint32_t npus() const = 0;
  /// Links between routers or switches, by number; each direction is one of its own.
  virtual std::size_t links() const = 0;
  virtual TopologyLink link(std::size_t number) const = 0;
  /// As in results: "router3->router4".
  virtual std::string link_name(std::size_t number) const = 0;
  /// Appends the links of the route between two endpoints in their order.
  virtual void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const = 0;
  /// Of the head of a message over the idle route. From an I/O controller: without its own link.
  virtual TimePs head_latency_ps(NpuId from, NpuId to) const = 0;

  // Routes and rates.

  const EndpointPorts& ports() const { return ports_; }
  /// What an NPU's port can send and receive.
  std::uint64_t port_bytes_per_s() const {
    return std::min(ports_.injection_bytes_per_s, ports_.ejection_bytes_per_s);
  }
  std::vector<std::size_t> route(NpuId from, NpuId to) const;
  /// Links between routers or switches on the route.
  virtual std::uint32_t hops(NpuId from, NpuId to) const;
  /// Other NPUs to or from which a route has one link, in any order, perhaps twice. None: not known, of no
  /// NPU.
  virtual std::optional<std::vector<NpuId>> neighbors(NpuId /*npu*/) const { return std::nullopt; }
  /// What one message can reach: the slowest of injection, links on the way, ejection.
  virtual std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const;
  /// What an NPU can send, and receive, at most: its own port or all its links.
  virtual std::uint64_t npu_sends_bytes_per_s(NpuId /*npu*/) const { return ports_.injection_bytes_per_s; }
  virtual std::uint64_t npu_receives_bytes_per_s(NpuId /*npu*/) const { return ports_.ejection_bytes_per_s; }
  /// The slower of both.
  std::uint64_t npu_bytes_per_s(NpuId npu) const {
    return std::min(npu_sends_bytes_per_s(npu), npu_receives_bytes_per_s(npu));
  }
  virtual std::unique_ptr<LinkLoads> link_loads() const;

  /// Consecutive NPUs that a server's own links join, beside the network; 0: there are no servers.
  virtual std::uint32_t server_npus() const { return 0; }

  // Groups.

  /// Default: looks at all pairs.
  virtual AllPairs all_pairs(const Group& group) const;
  /// For lower bounds. Default: none.
  virtual std::vector<Crossings> all_pairs_crossings(const Group& /*group*/) const { return {}; }
  /// Default: exact, looks at the whole group for each NPU.
  virtual std::unique_ptr<GroupDistances> distances(const Group& group) const;
  /// Ranks in the order of a ring. Default, up to 256 members: from the lowest NPU always on to the nearest
  /// one that is left; above by NPU.
  virtual std::vector<std::uint32_t> ring_order(const Group& group) const;
  /// A tree over a group in which neighbours pass on, as the parent of every rank; the root's is itself.
  /// Default: a minimum spanning tree by hops; ties go to the smaller depth in hops, then to the lower rank.
  virtual std::vector<std::uint32_t> spanning_parents(const Group& group, std::uint32_t root) const;
  /// Default: no group has rows and columns.
  virtual std::optional<GroupGrid> group_grid(const Group& /*group*/) const { return {}; }
  /// What a group needs for a grid, for messages.
  virtual std::string grid_rule() const { return "a fabric of rows and columns"; }
  /// Of fabrics on which collectives go by dimensions; else none.
  virtual const Dimensions& dimensions() const;
  /// Families of cuts for lower bounds.
  const std::vector<CutFamily>& cuts() const { return cuts_; }
  /// The switch that an NPU hangs on, by number; without such switches 0.
  virtual std::uint32_t attached_switch(NpuId /*npu*/) const { return 0; }

  // What planners ask beside shapes.

  /// All messages of an NPU leave through one port, where those of more chunks delay each other.
  virtual bool has_one_port() const { return true; }
  /// The planner's rule for large vectors holds for small ones, too.
  virtual bool keeps_rule_when_small() const { return false; }

  // I/O controllers. Default: there are none, and the rest is not asked.

  virtual std::uint32_t io_controllers() const { return 0; }
  NpuId io_controller(std::uint32_t k) const { return static_cast<NpuId>(npus() + k); }
  /// The trees of a controller's stream to members, by NPU; chunks take them in turn. All have the same NPUs.
  virtual std::vector<IoParents> io_trees(std::uint32_t /*controller*/,
                                          const std::vector<bool>& /*is_member*/) const {
    return {};
  }
  /// If messages of a stream share the ports of NPUs rather than links: with how many a first chunk of
  /// gradients shares them, summed over so many hops from NPU to NPU.
  virtual std::optional<std::uint64_t> shared_ports(std::uint32_t /*hops*/) const { return {}; }
  /// Where a controller hangs, for results: names and values.
  using IoPlace = std::vector<std::pair<std::string, std::variant<std::uint64_t, std::string>>>;
  virtual IoPlace io_place(std::uint32_t /*controller*/) const { return {}; }

 protected:
  std::vector<CutFamily> cuts_;

 private:
  EndpointPorts ports_;
};

std::unique_ptr<GroupDistances> equal_distances(TimePs head_ps);
std::vector<std::uint32_t> ranks_by_npu(const Group& group);

}  // namespace wafertlm
