// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "platform/describe/origins.h"
#include "platform/spec/model_spec.h"
#include "workloads/chakra/node_source.h"
#include "workloads/training/strategy.h"

namespace wafertlm::config {

/// `layers:` names a built-in model, or is (or names a YAML file that holds) a table.
struct LayersSpec {
  std::string model;  ///< name of a built-in model; empty: see table
  std::optional<ModelSpec> table;
};

enum class WorkloadKind : std::uint8_t { traces, data_parallel, training };

/// How long the communications of traces take.
enum class TraceCommunication : std::uint8_t { simulated, recorded };

/// Chakra execution traces.
struct TraceSpec {
  std::string path;  ///< absolute: a prefix (path.<rank>.et), or one file when `replicate` is given
  std::optional<std::uint32_t> replicate;  ///< so many ranks run the one file
  chakra::Dependencies dependencies = chakra::Dependencies::all;
  TraceCommunication communication = TraceCommunication::simulated;
  std::string comm_groups;               ///< absolute path of a JSON file; empty: none
  std::optional<Parallelism> placed_as;  ///< what placements go by; none: every rank for itself
};

/// Data-parallel training of a table of layers.
struct DataParallelSpec {
  LayersSpec layers;
  std::uint32_t data_parallel = 0;  ///< ranks
  std::uint64_t batch_per_npu = 0;  ///< samples
  double effective_rate_operations_per_s = 0;
  std::uint64_t bucket_bytes = 25ULL << 20;  ///< gradients are reduced in buckets of this size
  std::uint32_t bytes_per_element = 2;
  bool overlap = true;  ///< gradients are reduced during the backward pass
};

/// Training of a model with a strategy.
struct TrainingSpec {
  ModelSpec model;
  training::Strategy strategy;                                  ///< its minibatch and rate: see below
  std::optional<std::uint64_t> minibatch, samples_per_replica;  ///< one of them is given
  std::optional<double> effective_rate_operations_per_s;        ///< none: durations are left to the NPU

  /// With what the other members say.
  training::Strategy complete_strategy() const;
  /// The same for all of the iteration, whatever part of it is simulated.
  training::Strategy whole_strategy() const;
};

/// A workload file, or the map below `workload:` in an experiment.
struct WorkloadSpec {
  std::string name;
  WorkloadKind kind = WorkloadKind::traces;
  TraceSpec traces;                      ///< for WorkloadKind::traces
  DataParallelSpec data_parallel;        ///< for WorkloadKind::data_parallel
  TrainingSpec training;                 ///< for WorkloadKind::training
  std::optional<std::string> placement;  ///< see policy()
  Origins origins;

  /// How ranks are placed on NPUs: see place_workers.
  std::string policy() const {
    return placement.value_or(kind == WorkloadKind::training ? "paper" : "row_major");
  }
  /// What placements go by, for so many ranks.
  Parallelism placed_as(std::uint32_t ranks) const;
};

}  // namespace wafertlm::config
