// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "platform/spec/experiment_spec.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/validate.h"
#include "workloads/layers/data_parallel.h"
#include "workloads/parallelism/placement.h"
#include "workloads/training/plan.h"

namespace wafertlm {

/// The workload of an experiment, read once, checked and ready to run: a source of nodes per rank.
struct Job {
  chakra::CommGroups groups;
  std::vector<std::unique_ptr<chakra::NodeSource>> ranks;
  std::vector<chakra::TraceSummary> summaries;
  chakra::Dependencies dependencies = chakra::Dependencies::all;
  Placement npus;                               ///< by rank; traces run rank r on NPU r
  std::set<std::string> dimension_groups = {};  ///< see add_dimension_groups()

  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
};

/// The traces of all ranks, opened, or what generates them.
std::vector<std::unique_ptr<chakra::NodeSource>> workload_sources(const config::WorkloadSpec& workload);
/// Of the job whose traces `sources` are; leaves them rewound.
chakra::CommGroups workload_groups(const config::WorkloadSpec& workload,
                                   const std::vector<std::unique_ptr<chakra::NodeSource>>& sources);

/// Of a WorkloadKind::data_parallel.
layers::DataParallelSpec data_parallel_spec(const config::WorkloadSpec& workload);
/// Of a WorkloadKind::training.
std::shared_ptr<const training::Plan> training_plan(const config::TrainingSpec& spec);

/// @throws chakra::TraceError for a trace that cannot be run; std::invalid_argument or
/// config::ConfigError when the job does not fit the platform.
Job load_job(const config::ExperimentSpec& experiment);

}  // namespace wafertlm
