// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "platform/config/experiment_spec.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/sequencer/task_graph.h"

namespace wafertlm {

/// The workload of an experiment, read, checked and ready to run: a list of tasks per rank. Rank r runs on
/// NPU r.
struct Job {
  chakra::CommGroups groups;
  std::vector<std::vector<Task>> ranks;
  std::vector<chakra::TraceSummary> summaries;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
};

/// @throws chakra::TraceError for a trace that cannot be run; std::invalid_argument when the job does not fit
/// the platform.
Job load_job(const config::ExperimentSpec& experiment);

}  // namespace wafertlm
