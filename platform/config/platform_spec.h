// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/compute_spec.h"
#include "platform/config/hbm_spec.h"
#include "platform/config/origins.h"
#include "platform/config/remote_memory_spec.h"
#include "platform/config/wafer_spec.h"
#include "tlm/data_type.h"
#include "tlm/fabric_traits.h"
#include "tlm/units.h"
#include "workloads/sequencer/issue_policy.h"

namespace wafertlm::config {

enum class CollectiveAlgorithm : std::uint8_t {
  automatic,
  fastest,
  ring,
  bidirectional_ring,
  hierarchical_2d,
  halving_doubling,
  double_binary_tree,
  tree,
  direct,
  in_network,
  dimensional,
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
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
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
