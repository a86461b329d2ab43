// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/dimensions.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/fabric_graph.h"
#include "tlm/program.h"
#include "tlm/units.h"

namespace wafertlm {

/// A side of a router or of the wafer; row 0 is north.
enum class Side : std::uint8_t { east, west, north, south };
constexpr Side kAllSides[] = {Side::east, Side::west, Side::north, Side::south};

/// Where an I/O controller hangs: the free port of an edge router.
struct IoPort {
  NpuId npu{};
  Side side{};
};

/// What a message costs in the memories at its ends, if it passes through them: what is sent is read, in
/// chunks that may leave when they are there; a copy writes a chunk when it has arrived, a reduction reads
/// twice and then writes (models/endpoint).
struct MemoryTraits {
  std::uint64_t read_bytes_per_s = 0, write_bytes_per_s = 0;  ///< 0: endpoints are free
  TimePs latency_ps = 0;
  std::uint64_t chunk_bytes = 0;

  bool is_free() const { return read_bytes_per_s == 0; }
  /// Before the first byte leaves, and after the last one has arrived.
  TimePs send_ps(std::uint64_t bytes) const;
  TimePs receive_ps(std::uint64_t bytes, bool reduces) const;
  /// For all that a rank reads and writes.
  TimePs busy_ps(std::uint64_t read_bytes, std::uint64_t written_bytes) const;
};

/// A tree of switches: NPU n on L1 switch n / npus_per_l1, an equal number of L1 switches on each L2 switch,
/// and an L3 switch above if there are several of these. Routes go up and down; a port of an NPU is at its L1
/// switch.
struct FredTraits {
  std::uint32_t l1_switches = 0, npus_per_l1 = 0, l2_switches = 1;
  std::uint64_t l1_uplink_bytes_per_s = 0;  ///< each direction
  std::uint64_t l2_uplink_bytes_per_s = 0;  ///< with an L3 switch
  /// Of the head from NPU to NPU, when the route turns at level 1, 2, …
  std::vector<TimePs> turn_latency_ps;
  TimePs npu_link_latency_ps = 0;  ///< the part of an NPU's link, once
  std::vector<std::uint32_t> io;   ///< the L1 switch of each controller

  std::uint32_t npus() const { return l1_switches * npus_per_l1; }
  std::uint32_t l1_of(NpuId npu) const { return static_cast<std::uint32_t>(npu) / npus_per_l1; }
  std::uint32_t l2_of(NpuId npu) const { return l2_of_l1(l1_of(npu)); }
  std::uint32_t l2_of_l1(std::uint32_t l1) const { return l1 / (l1_switches / l2_switches); }
  std::uint32_t turn_level(NpuId from, NpuId to) const {
    return l1_of(from) == l1_of(to) ? 1 : l2_of(from) == l2_of(to) ? 2 : 3;
  }
};

/// What the ranks of one dimension do among themselves.
enum class DimensionAlgorithm : std::uint8_t {
  automatic,  ///< ring on a ring or line, direct where fully connected, halving-doubling on a switch if it
              ///< can
  ring,
  bidirectional_ring,  ///< half the bytes each way round
  direct,
  halving_doubling,
};
constexpr DimensionAlgorithm kDimensionAlgorithms[] = {
    DimensionAlgorithm::automatic, DimensionAlgorithm::ring, DimensionAlgorithm::bidirectional_ring,
    DimensionAlgorithm::direct, DimensionAlgorithm::halving_doubling};
const char* to_string(DimensionAlgorithm algorithm);

/// How a collective goes through the dimensions of a fabric (workloads/collectives/dimensional).
struct HierarchyOptions {
  /// The order of the dimensions of a chunk.
  enum class Order : std::uint8_t {
    local_bandwidth_aware,  ///< reduce-scatter up, all-reduce in the last one, all-gather down
    ascending,              ///< the same with reduce-scatter and all-gather in the last one, too
    per_dimension,          ///< an all-reduce in each
    themis,                 ///< for each chunk the dimensions with the least load first
  };
  /// Who is first at a dimension's port: the stage that came first, or the one with the fewest bytes.
  enum class Within : std::uint8_t { fifo, smallest_first };
  Order order = Order::local_bandwidth_aware;
  Within within = Within::fifo;
  std::uint32_t active_chunks = 0;  ///< in a dimension at a time; 0: all
  /// By dimension; empty: automatic. The last one holds for those behind it.
  std::vector<DimensionAlgorithm> all_reduce, all_gather, reduce_scatter, all_to_all;
  std::uint32_t direct_window = 0;  ///< peers of direct at a time; 0: all
  TimePs stage_cost_ps = 0;         ///< endpoint: before the first message of a stage
};

/// What a collective planner needs to know of a wafer, as plain data that the platform fills in.
struct FabricTraits {
  enum class Kind : std::uint8_t {
    mesh,         ///< NPU n at column n mod width, row n / width; X-Y routes
    fred,         ///< see FredTraits
    dimensional,  ///< see Dimensions
    graph,        ///< see FabricGraph
  };
  Kind kind = Kind::mesh;
  // Of a mesh.
  std::uint32_t width = 0, height = 0;
  std::uint64_t link_bytes_per_s = 0;
  TimePs ends_latency_ps = 0;  ///< injection, the first router's pipeline, ejection
  TimePs hop_latency_ps = 0;   ///< link and the next router's pipeline
  std::vector<IoPort> io;
  // Of a tree of switches.
  FredTraits fred;
  // Of a fabric of dimensions.
  Dimensions dimensions;
  HierarchyOptions hierarchy;
  // Of a graph.
  std::shared_ptr<const FabricGraph> graph;
  // Of all.
  std::uint64_t injection_bytes_per_s = 0, ejection_bytes_per_s = 0;
  WireFormat format;
  bool in_network = false;          ///< the switches reduce and distribute (Step::Kind::flow_send)
  bool streams_in_network = false;  ///< … also what comes and goes over the I/O controllers
  FlowAdditions flow_additions;     ///< the order in which they add
  bool flows_decompose = false;     ///< in-network programs need endpoint steps to fall back on
  TimePs step_cost_ps = 0;          ///< endpoint: before each message is sent
  TimePs receive_cost_ps = 0;       ///< endpoint: after each message has arrived
  std::uint64_t reduction_bytes_per_s =
      0;  ///< endpoint: of a reduction, which reads twice and writes; 0: free
  MemoryTraits memory;
  std::uint64_t io_bytes_per_s = 0;  ///< between a controller and its router or switch, each direction
  TimePs io_latency_ps = 0;          ///< of that link

  bool is_mesh() const { return kind == Kind::mesh; }
  bool is_dimensional() const { return kind == Kind::dimensional; }
  bool is_graph() const { return kind == Kind::graph; }
  /// Collectives can go by dimensions: of a graph if it is made of several wafers.
  bool has_dimensions() const { return dimensions.count() != 0; }
  /// Neither rows and columns nor a tree.
  bool has_no_shape() const { return is_dimensional() || is_graph(); }
  std::uint32_t npus() const {
    return is_graph()         ? graph->npus()
           : is_mesh()        ? width * height
           : is_dimensional() ? dimensions.npus()
                              : fred.npus();
  }
  /// Controller k is the endpoint npus() + k.
  std::uint32_t io_controllers() const {
    return static_cast<std::uint32_t>(is_mesh() ? io.size() : is_graph() ? 0 : fred.io.size());
  }
  NpuId io_controller(std::uint32_t k) const { return static_cast<NpuId>(npus() + k); }
  // Of a mesh only.
  std::uint32_t column(NpuId npu) const { return static_cast<std::uint32_t>(npu) % width; }
  std::uint32_t row(NpuId npu) const { return static_cast<std::uint32_t>(npu) / width; }

  /// Links between switches on the route.
  std::uint32_t hops(NpuId from, NpuId to) const;
  /// Links of a router to its neighbours.
  std::uint32_t degree(NpuId npu) const;
  /// What a message takes beyond its bytes: the head over the idle route, and the costs at its ends.
  TimePs latency_ps(NpuId from, NpuId to) const {
    return step_cost_ps + head_latency_ps(from, to) + receive_cost_ps;
  }
  TimePs head_latency_ps(NpuId from, NpuId to) const {
    if (is_graph()) return graph->head_latency_ps(from, to);
    return is_dimensional() ? dimensions.head_latency_ps(from, to) : head_latency_ps(hops(from, to));
  }
  /// Of a route with so many links between switches; of dimensions and graphs the least.
  TimePs head_latency_ps(std::uint32_t hop_count) const {
    if (is_graph()) return hop_count == 0 ? 0 : graph->shortest_latency_ps();
    if (is_dimensional()) return hop_count == 0 ? 0 : dimensions.shortest_latency_ps();
    return is_mesh() ? ends_latency_ps + hop_count * hop_latency_ps : fred.turn_latency_ps[hop_count / 2];
  }
  /// What one message can reach: the slowest of injection, links on the way, ejection.
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const;
  /// What an NPU can send, and receive, at most: its own port or all its links.
  std::uint64_t npu_bytes_per_s(NpuId npu) const;
};

}  // namespace wafertlm
