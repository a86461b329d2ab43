// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/run/iteration_work.h"
#include "platform/run/job_run.h"

namespace wafertlm::results {

/// What to bear in mind with the results of a run: the field `notes`.
nlohmann::ordered_json notes(const config::ExperimentSpec& experiment, const JobRun& run,
                             const Machine& machine, const Measurements& measured, const IterationWork& work);

}  // namespace wafertlm::results
