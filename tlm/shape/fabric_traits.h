// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tlm/kernel/plan_cache.h"
#include "tlm/kernel/units.h"
#include "tlm/packets/wire_format.h"
#include "tlm/program/program.h"
#include "tlm/shape/gpu_library.h"
#include "tlm/shape/topology.h"

namespace wafertlm {

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

/// What the ranks of one dimension do among themselves.
enum class DimensionAlgorithm : std::uint8_t {
  automatic,  ///< ring on a ring or line, direct if fully connected, halving-doubling on a switch if it can
  ring,
  bidirectional_ring,  ///< half the bytes each way round
  direct,
  halving_doubling,            ///< vector halving with the nearest first, and back (Rabenseifner)
  recursive_halving_doubling,  ///< … with the farthest first (MPICH's recursive halving and doubling)
  double_binary_tree,          ///< all-reduce: each chunk whole along one of two trees, by turns
};
constexpr DimensionAlgorithm kDimensionAlgorithms[] = {
    DimensionAlgorithm::automatic,          DimensionAlgorithm::ring,
    DimensionAlgorithm::bidirectional_ring, DimensionAlgorithm::direct,
    DimensionAlgorithm::halving_doubling,   DimensionAlgorithm::recursive_halving_doubling,
    DimensionAlgorithm::double_binary_tree};
/// In either order.
inline bool is_halving(DimensionAlgorithm algorithm) {
  return algorithm == DimensionAlgorithm::halving_doubling ||
         algorithm == DimensionAlgorithm::recursive_halving_doubling;
}
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
  /// Which bytes pay for their reduction.
  enum class Reductions : std::uint8_t {
    received,  ///< all that are added
    /// As ASTRA-sim's sequencer: by halving as many as are sent next, so none at last; along a tree also
    /// what an inner rank passes down.
    astra_sim,
  };
  Order order = Order::local_bandwidth_aware;
  Within within = Within::fifo;
  Reductions reductions = Reductions::received;
  std::uint32_t active_chunks = 0;  ///< in a dimension at a time; 0: all
  /// By dimension; empty: automatic. The last one holds for those behind it.
  std::vector<DimensionAlgorithm> all_reduce, all_gather, reduce_scatter, all_to_all;
  std::uint32_t direct_window = 0;  ///< peers of direct at a time; 0: all
  TimePs stage_cost_ps = 0;         ///< endpoint: before the first message of a stage
};

/// How long a collective takes alone on a fabric at rest, simulated.
using IdleTime = std::function<TimePs(const std::shared_ptr<const CollectiveProgram>& program)>;

/// What a collective planner needs to know of a wafer: its shape, and what all kinds of fabric have in
/// common.
struct FabricTraits {
  std::shared_ptr<const Topology> topology;
  HierarchyOptions hierarchy;
  WireFormat format;
  bool in_network = false;          ///< the switches reduce and distribute (Step::Kind::flow_send)
  bool streams_in_network = false;  ///< … also what comes and goes over the I/O controllers
  FlowAdditions flow_additions;     ///< the order in which they add
  bool flows_decompose = false;     ///< in-network programs need endpoint steps to fall back on
  TimePs launch_cost_ps = 0;        ///< endpoint: before the first step of a collective
  TimePs step_cost_ps = 0;          ///< endpoint: before each message is sent
  TimePs receive_cost_ps = 0;       ///< endpoint: after each message has arrived
  /// Endpoint: of a reduction, which reads twice and writes; 0: free.
  std::uint64_t reduction_bytes_per_s = 0;
  GpuLibrary library;              ///< of collectives, of the endpoints; not given: none
  bool store_and_forward = false;  ///< a message goes on when all of it is there, in one piece
  bool buffers_are_given = false;  ///< input buffers may hold less than a link's round trip
  MemoryTraits memory;
  IdleTime idle_ps;  ///< empty: nothing to simulate with
  /// What was planned and found out about this fabric; copies share it.
  std::shared_ptr<PlanCache> plans = std::make_shared<PlanCache>();

  std::uint32_t npus() const { return topology->npus(); }
  std::uint64_t port_bytes_per_s() const { return topology->port_bytes_per_s(); }
  /// What the costs at both ends add to a head's latency.
  TimePs message_cost_ps() const { return step_cost_ps + receive_cost_ps; }
  /// What a message takes beyond its bytes: the head over the idle route, and the costs at its ends.
  TimePs latency_ps(NpuId from, NpuId to) const {
    return message_cost_ps() + topology->head_latency_ps(from, to);
  }
};

}  // namespace wafertlm
