// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "platform/describe/origins.h"
#include "platform/spec/faults_spec.h"
#include "platform/spec/npu_spec.h"
#include "platform/spec/remote_memory_spec.h"
#include "platform/spec/wafer_spec.h"
#include "tlm/kernel/units.h"
#include "tlm/program/data_type.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/sequencer/task.h"

namespace wafertlm::config {

/// Collectives that go through the dimensions of a fabric.
struct ByDimensionSpec {
  HierarchyOptions::Order order = HierarchyOptions::Order::local_bandwidth_aware;
  HierarchyOptions::Within within = HierarchyOptions::Within::fifo;
  HierarchyOptions::Reductions reductions = HierarchyOptions::Reductions::received;
  std::optional<std::uint64_t> active_chunks;  ///< in a dimension; nullopt: all
  /// By dimension; the last one holds for those behind it.
  std::vector<DimensionAlgorithm> all_reduce, all_gather, reduce_scatter, all_to_all;
  std::uint32_t direct_window = 0;
};

/// Algorithms that files give, by the type of the collective; empty: none. A path as of
/// read_custom_algorithms.
struct CustomAlgorithmsSpec {
  std::string all_reduce, all_gather, reduce_scatter, all_to_all;

  const std::string& of(CollectiveType type) const;
};

/// Algorithms by the type of the collective: names of the table, or "auto".
struct AlgorithmsByTypeSpec {
  std::string all_reduce = "auto", all_gather = "auto", reduce_scatter = "auto", all_to_all = "auto";

  const std::string& of(CollectiveType type) const;
};

struct CollectivesSpec {
  AlgorithmsByTypeSpec by_type;         ///< auto: `algorithm`
  AlgorithmsByTypeSpec partial_groups;  ///< of groups that not all ranks are in; auto: as of all ranks
  bool equal_pieces = false;            ///< sizes are cut to pieces of one length
  ByDimensionSpec by_dimension;
  CustomAlgorithmsSpec custom;
  /// Who chooses where `algorithm` is auto.
  enum class Choice : std::uint8_t { planner, nccl };
  Choice choice = Choice::planner;
  std::string algorithm = "auto";       ///< one of algorithm_choices()
  std::optional<std::uint64_t> chunks;  ///< nullopt: the algorithm's own choice
  /// hierarchical_2d: of the vector, in the part that goes along the rows first; nullopt: both dimensions
  /// carry the same.
  std::optional<std::uint64_t> split_percent;

  /// As a request says it: 0 leaves it open.
  std::uint32_t requested_chunks() const { return static_cast<std::uint32_t>(chunks.value_or(0)); }
};

enum class Acceleration : std::uint8_t { exact, off, verify, sampled };

/// How the simulation runs.
struct RunSpec {
  Acceleration acceleration = Acceleration::exact;
  bool checkers = false;
  bool functional = false;
  DataType data_type = DataType::int32;  ///< of the values in functional mode
  std::optional<FaultParams> fault;
  std::vector<RunFaultSpec> faults;
  OnFault on_fault = OnFault::wait;
  TimePs reroute_after_ps = 0;
  std::uint64_t seed = 1;
  TimePs watchdog_ps = 3600 * kPsPerSecond;  ///< simulated time after which a run is given up
};

/// A platform file, checked.
struct PlatformSpec {
  std::string name;
  std::vector<std::string> leaves_out;  ///< of what it stands for, in words
  WaferSpec wafer;
  NpuSpec npu;
  std::optional<RemoteMemorySpec> remote_memory;
  CollectivesSpec collectives;
  SequencerParams sequencer;
  RunSpec run;
  Origins origins;  ///< where the values came from
};

/// Of one NPU, with its speed and what it has of its HBM (wafer.defects).
ComputeParams compute_params(const PlatformSpec& platform, NpuId npu);
HbmParams hbm_params(const PlatformSpec& platform, NpuId npu);
std::uint64_t hbm_capacity_bytes(const PlatformSpec& platform, NpuId npu);

}  // namespace wafertlm::config
