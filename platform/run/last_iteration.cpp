// SPDX-License-Identifier: Apache-2.0
#include "platform/run/last_iteration.h"

#include "platform/machine/machine.h"
#include "platform/machine/one_for_all.h"
#include "platform/run/job.h"

namespace wafertlm {
namespace {

IterationResult last_iteration(const config::ExperimentSpec& experiment, const Job& job,
                               const EqualRanks& equal, const std::function<void()>& progress) {
  Machine machine(experiment.platform, false, nullptr, nullptr, equal.places);
  machine.allow_sampling();
  JobRun run(machine, job, experiment, equal);
  run.run([&](TimePs, std::uint64_t, std::uint64_t) {
    if (progress) progress();
  });
  return run.iterations().back();
}

}  // namespace

IterationResult simulated_last_iteration(const config::ExperimentSpec& experiment,
                                         const std::function<void()>& progress) {
  const Job job = load_job(experiment);
  const EqualRanks equal = equal_ranks(experiment.platform, job);
  std::string why;
  if (equal.places.one_for_all)
    if (auto last = run_one_for_all([&] { return last_iteration(experiment, job, equal, progress); }, why))
      return *std::move(last);
  const SimulationContext context;
  return last_iteration(experiment, job, {}, progress);
}

}  // namespace wafertlm
