// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/run/job.h"
#include "platform/spec/experiment_spec.h"
#include "workloads/sequencer/collective_registry.h"

namespace wafertlm {

/// How the platform does the collectives of a job: algorithm, chunks, sizes. The job must outlive it.
CollectivePlanner collective_planner(const Job& job, const config::ExperimentSpec& experiment);

}  // namespace wafertlm
