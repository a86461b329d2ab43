// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/mesh/io_port.h"
#include "platform/config/compute_spec.h"
#include "platform/config/graph_spec.h"
#include "platform/config/hbm_spec.h"
#include "platform/config/origins.h"
#include "platform/config/remote_memory_spec.h"
#include "platform/config/rtl_spec.h"
#include "tlm/data_type.h"
#include "tlm/fabric_traits.h"
#include "tlm/units.h"
#include "workloads/sequencer/issue_policy.h"

namespace wafertlm::config {

/// What the fabric is made of: a grid of routers, a tree of FRED switches, dimensions, or a list of links.
enum class Wiring : std::uint8_t { mesh, fred, dimensional, graph };
enum class Topology : std::uint8_t { not_given, mesh };
enum class InputQueue : std::uint8_t { fifo, per_output };
enum class Switching : std::uint8_t { cut_through, wormhole };

/// One row of the traffic class table. It may use virtual channels vc … vc + vcs - 1.
struct TrafficClassSpec {
  std::string name;
  VcId vc{0};
  std::uint32_t priority = 0;  ///< larger goes first; equal for classes that share a virtual channel
  std::uint32_t vcs = 1;
};

/// Acknowledgements belong to it.
inline constexpr const char* kControlClass = "control";

/// mp and ep; pp; dp; and one channel for all that comes from or goes to outside the wafer, and control.
std::vector<TrafficClassSpec> default_traffic_classes();

/// What becomes of an in-network flow that the switches cannot carry beside the active ones.
enum class FlowConflictPolicy : std::uint8_t { block, decompose, refuse };
/// How a FRED switch searches the middle switches of its flows.
enum class RouteSearch : std::uint8_t { first_colouring, backtracking };

/// What a switch of a FRED wafer is: one switch, or the chips that it is made of.
enum class FredView : std::uint8_t { logical, physical };

/// Chips of the physical view that do not work.
struct DeadChipsSpec {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> l1;  ///< (L1 switch, chip of it)
  std::vector<std::uint32_t> l2;
};

/// A tree of switches: NPU n on L1 switch n / npus_per_l1.
struct FredSpec {
  std::uint32_t l1_switches = 0;
  std::uint32_t npus_per_l1 = 0;
  std::uint32_t l2_switches = 1;  ///< more than one: an L3 switch above them
  std::uint64_t npu_bandwidth_bytes_per_s = 3'000'000'000'000;
  std::uint64_t l1_uplink_bytes_per_s = 0;
  std::optional<std::uint64_t> l2_uplink_bytes_per_s;  ///< with an L3 switch
  TimePs stage_latency_ps = 0;                         ///< of one µswitch
  bool in_network = false;                             ///< the switches reduce and distribute
  std::uint32_t flows_per_buffer = 8;                  ///< that have room in it at the same time, by channel
  std::optional<std::uint64_t> flow_packets;           ///< that a flow reserves in each; nullopt: line rate
  FlowConflictPolicy flow_conflict = FlowConflictPolicy::block;
  bool flow_reservation = true;
  bool phase_rule = false;
  TimePs phase_change_ps = 0;
  std::uint32_t middle_switches = 3;  ///< m of FRED_m(P)
  RouteSearch route_search = RouteSearch::first_colouring;
  FredView view = FredView::logical;
  std::uint64_t port_bandwidth_bytes_per_s = 600'000'000'000;  ///< of a chip, in the physical view
  std::uint32_t l2_chip_links = 2;                             ///< of an L1 chip to each of its L2 chips
  DeadChipsSpec dead;

  std::uint32_t npu_count() const { return l1_switches * npus_per_l1; }
  // Of the physical view.
  std::uint32_t chips_per_l1() const {
    return static_cast<std::uint32_t>(npu_bandwidth_bytes_per_s / port_bandwidth_bytes_per_s);
  }
  std::uint32_t up_ports() const {
    return static_cast<std::uint32_t>(l1_uplink_bytes_per_s / (chips_per_l1() * port_bandwidth_bytes_per_s));
  }
};

enum class Transport : std::uint8_t { packets, messages };
enum class DimensionTopology : std::uint8_t { ring, fully_connected, switched, mesh, torus };

struct DimensionSpec {
  DimensionTopology topology = DimensionTopology::ring;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> shape;         ///< of a mesh or torus: its sides; empty: one side of `size`
  std::uint64_t bandwidth_bytes_per_s = 0;  ///< of a link, each direction
  TimePs latency_ps = 0;                    ///< of a link
};

/// The links of an NPU in a dimension, where they differ.
struct OtherLinkSpec {
  NpuId npu{};
  std::uint32_t dimension = 0;
  std::uint64_t bandwidth_bytes_per_s = 0;
  TimePs latency_ps = 0;
};

/// Dimension 0 varies fastest in the NPU's number.
struct DimensionalSpec {
  std::vector<DimensionSpec> dimensions;
  std::vector<OtherLinkSpec> other_links;
  Transport transport = Transport::packets;

  /// With a mesh or torus as its sides, each a dimension.
  Dimensions expanded() const;
};

enum class ReliabilityProtocol : std::uint8_t { automatic, go_back_n };
enum class AnswerChannel : std::uint8_t { own, of_class };

/// How bit errors are repaired.
struct ReliabilitySpec {
  ReliabilityProtocol protocol = ReliabilityProtocol::automatic;
  std::uint32_t ack_every = 16;              ///< data packets
  std::uint32_t window = 256;                ///< unacknowledged packets of a message
  TimePs timeout_ps = 5'000'000;             ///< without an answer
  std::uint64_t control_packet_bytes = 512;  ///< on the wire, of an ACK or NACK
  AnswerChannel channel = AnswerChannel::own;
};

/// Wires and switches between the NPUs.
struct FabricSpec {
  Wiring wiring = Wiring::mesh;
  FredSpec fred;
  DimensionalSpec dimensional;
  GraphSpec graph;
  std::uint64_t link_bandwidth_bytes_per_s = 0;
  TimePs link_latency_ps = 20'000;
  TimePs router_pipeline_ps = 0;
  TimePs credit_delay_ps = 20'000;
  std::uint64_t injection_bandwidth_bytes_per_s = 3'000'000'000'000;  ///< NPU to router
  TimePs injection_latency_ps = 0;
  std::uint64_t ejection_bandwidth_bytes_per_s = 3'000'000'000'000;  ///< router to NPU
  TimePs ejection_latency_ps = 0;
  std::uint64_t packet_bytes = 4096;  ///< payload of a full packet
  std::uint64_t header_bytes = 0;
  std::uint64_t flit_bytes = 0;  ///< 0: packets are not rounded to flits
  Switching switching = Switching::cut_through;
  std::uint32_t virtual_channels = 4;
  InputQueue input_queue = InputQueue::per_output;
  std::optional<std::uint64_t>
      input_buffer_bytes;       ///< per virtual channel; nullopt: computed from the round trip
  double energy_per_bit_j = 0;  ///< for every link crossing
  std::vector<TrafficClassSpec> classes = default_traffic_classes();
  std::vector<std::pair<NpuId, NpuId>> failed_links;  ///< neighbours; both directions are gone
  std::vector<NpuId> failed_routers;
  double bit_error_rate = 0;  ///< of every link
  ReliabilitySpec reliability;
  std::vector<RtlSpec> rtl;

  /// Whether packets are acknowledged.
  bool is_reliable() const {
    return bit_error_rate > 0 || reliability.protocol == ReliabilityProtocol::go_back_n;
  }
  /// Bytes of a full packet on the wire: header added, rounded up to flits.
  std::uint64_t wire_packet_bytes() const;
};

struct IoPortSpec {
  NpuId npu{};
  Side side{};
};

enum class IoPlacement : std::uint8_t { none, perimeter, listed, spread };

struct IoControllersSpec {
  IoPlacement placement = IoPlacement::none;
  std::vector<IoPortSpec> list;  ///< if listed; controller k is entry k
  std::uint32_t count = 0;       ///< if spread: over the L1 switches, as evenly as possible

  bool any() const { return placement == IoPlacement::perimeter || !list.empty() || count != 0; }
};

/// I/O controllers on free ports of edge routers, or on L1 switches.
struct IoSpec {
  IoControllersSpec controllers;
  std::uint64_t bandwidth_bytes_per_s = 128'000'000'000;  ///< of one, each direction
  TimePs latency_ps = 0;                                  ///< between controller and router
  std::optional<std::uint64_t> chunk_bytes;               ///< of a stream; nullopt: from its size
};

enum class OuterTopology : std::uint8_t { ring, switched };

/// Several wafers, connected from I/O controller k of each to the controllers k of the others.
struct OuterSpec {
  std::uint32_t wafers = 2;
  OuterTopology topology = OuterTopology::ring;
  std::uint64_t bandwidth_bytes_per_s = 0;  ///< of a link between controllers, or to a switch; each direction
  TimePs latency_ps = 0;                    ///< of that link
};

/// In a mesh NPU n sits in column n % width and row n / width; FRED has neither.
struct WaferSpec {
  Topology topology = Topology::not_given;  ///< of a mesh, the only one
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  FabricSpec fabric;
  IoSpec io;
  /// NPU n of wafer w is the NPU w · width · height + n.
  std::optional<OuterSpec> outer;

  std::uint32_t npu_count() const {
    if (fabric.wiring == Wiring::graph) return fabric.graph.npus;
    if (fabric.wiring == Wiring::dimensional) return fabric.dimensional.expanded().npus();
    if (fabric.wiring == Wiring::fred) return fabric.fred.npu_count();
    return npus_of_mesh() * (outer ? outer->wafers : 1);
  }
  /// Of a mesh, and of one wafer.
  std::uint32_t npus_of_mesh() const { return width * height; }
  bool is_one_mesh() const { return fabric.wiring == Wiring::mesh && !outer; }
  bool are_neighbours(NpuId a, NpuId b) const;
  /// No neighbour on that side.
  bool is_free(NpuId npu, Side side) const;
};

/// Whether what an endpoint sends and receives passes through the NPU's HBM.
enum class EndpointMemory : std::uint8_t { free, hbm };

/// What executes the steps of collectives, sends and receives.
struct EndpointSpec {
  TimePs step_cost_ps = 0;     ///< before a message is sent
  TimePs receive_cost_ps = 0;  ///< after a message has arrived
  EndpointMemory memory = EndpointMemory::free;
  TimePs stage_cost_ps = 0;  ///< before the first message of a stage of a collective by dimensions
  std::optional<std::uint64_t>
      reduction_bytes_per_s;  ///< a reduction reads twice and writes once; none: free
};

struct NpuSpec {
  double peak_operations_per_s = 1e15;
  ComputeSpec compute;
  HbmSpec hbm;
  EndpointSpec endpoint;
};

/// How a rank walks its trace.
struct SequencerSpec {
  IssuePolicy policy = IssuePolicy::fifo;
  std::uint32_t look_ahead = 16'384;  ///< nodes
};

/// Collectives that go through the dimensions of a fabric.
struct ByDimensionSpec {
  HierarchyOptions::Order order = HierarchyOptions::Order::local_bandwidth_aware;
  HierarchyOptions::Within within = HierarchyOptions::Within::fifo;
  std::optional<std::uint64_t> active_chunks;  ///< in a dimension; nullopt: all
  /// By dimension; the last one holds for those behind it.
  std::vector<DimensionAlgorithm> all_reduce, all_gather, reduce_scatter, all_to_all;
  std::uint32_t direct_window = 0;
};

/// Algorithms that files give, by the type of the collective; empty: none. A path as of
/// read_custom_algorithm.
struct CustomAlgorithmsSpec {
  std::string all_reduce, all_gather, reduce_scatter, all_to_all;

  const std::string& of(CollectiveType type) const;
};

struct CollectivesSpec {
  ByDimensionSpec by_dimension;
  CustomAlgorithmsSpec custom;
  std::string algorithm = "auto";       ///< one of algorithm_choices()
  std::optional<std::uint64_t> chunks;  ///< nullopt: the algorithm's own choice
  /// hierarchical_2d: of the vector, in the part that goes along the rows first; nullopt: both dimensions
  /// carry the same.
  std::optional<std::uint64_t> split_percent;

  /// As a request says it: 0 leaves it open.
  std::uint32_t requested_chunks() const { return static_cast<std::uint32_t>(chunks.value_or(0)); }
};

enum class FaultKind : std::uint8_t { flip_bit, drop_packet };

/// A fault put into one packet on purpose, where it leaves its NPU.
struct FaultSpec {
  FaultKind kind = FaultKind::flip_bit;
  NpuId from{};
  std::optional<NpuId> to;           ///< none: a packet that goes into an in-network flow
  std::uint64_t packet = 1;          ///< the so-many-th between the two, from 1
  std::optional<std::uint64_t> bit;  ///< flip_bit: of the packet's payload
};

struct RunSpec {
  bool checkers = false;
  bool functional = false;
  DataType data_type = DataType::int32;  ///< of the values in functional mode
  std::optional<FaultSpec> fault;
  std::uint64_t seed = 1;
  TimePs watchdog_ps = 10 * kPsPerSecond;  ///< simulated time after which a run is given up
};

/// A platform file, checked.
struct PlatformSpec {
  std::string name;
  WaferSpec wafer;
  NpuSpec npu;
  std::optional<RemoteMemorySpec> remote_memory;
  CollectivesSpec collectives;
  SequencerSpec sequencer;
  RunSpec run;
  Origins origins;  ///< where the values came from
};

/// Equal values and equal provenances.
bool operator==(const PlatformSpec& a, const PlatformSpec& b);

}  // namespace wafertlm::config
