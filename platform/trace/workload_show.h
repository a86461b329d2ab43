// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/workload_spec.h"
#include "workloads/training/memory.h"
#include "workloads/training/volumes.h"

namespace wafertlm {

/// Of a workload made from a model.
struct TrainingTotals {
  std::string model, sample, parallelism;
  std::uint64_t parameters = 0, forward_operations = 0;  ///< of the model; per sample
  std::uint64_t step_operations = 0;                     ///< of the model, with gradients, per sample
  std::uint64_t minibatch = 0, samples_per_microbatch = 0;
  std::uint32_t microbatches = 0;
  bool is_a_part = false;  ///< Strategy::simulated_chunks or simulated_rounds; samples and volumes are of it
  std::vector<training::MemoryNeed> memory;  ///< by rank
};

/// Totals of a workload, without a platform.
struct WorkloadTotals {
  std::string name;
  std::vector<training::Volumes> ranks;
  std::optional<TrainingTotals> training;  ///< of workloads made from a model
};

/// Reads or generates all nodes. @throws chakra::TraceError.
WorkloadTotals workload_totals(const config::WorkloadSpec& workload);
std::string totals_text(const WorkloadTotals& totals);
nlohmann::ordered_json totals_json(const WorkloadTotals& totals);

}  // namespace wafertlm
