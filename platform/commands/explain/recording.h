// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/commands/explain/exposed_time.h"
#include "platform/commands/explain/graph_recorder.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/report/usage.h"
#include "platform/run/job.h"
#include "platform/run/observers.h"
#include "platform/spec/fabric_kinds.h"

namespace wafertlm {

/// A run with its graph, and with where its ranks only waited.
struct Recording {
  Machine machine;
  Usage usage;
  JobRun run;
  GraphRecorder recorder;
  ExposedTimeRecorder exposed;
  RunObservers observers;
  GraphRecorder::Recorded recorded;

  Recording(const config::ExperimentSpec& experiment, const Job& job)
      : machine(experiment.platform),
        usage(machine),
        run(machine, job, experiment),
        recorder(job.size()),
        exposed(static_cast<std::uint32_t>(job.size())) {
    observers.add(recorder);
    observers.add(exposed);
    run.observe(observers);
    if (const FabricResults* const of = fabric_results(); of && of->watch)
      of->watch(machine.wafer().fabric());
    machine.observe_links(usage);
    run.run();
    recorded = recorder.graph(run, experiment);
  }
  /// What this kind of fabric adds to results; none: nothing.
  const FabricResults* fabric_results() const { return fabric_kind(machine.wafer().spec().wafer).results(); }
};

/// Time of the last iteration.
inline TimePs iteration_ps(const JobRun& run) {
  const auto iterations = run.iterations();
  return iterations.back().end_ps - iterations.back().start_ps;
}

}  // namespace wafertlm
