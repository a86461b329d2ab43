// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/explain/graph_recorder.h"
#include "platform/report/usage.h"
#include "platform/run/observers.h"
#include "platform/system/machine.h"

namespace wafertlm {

/// A run with its graph.
struct Recording {
  Machine machine;
  Usage usage;
  JobRun run;
  GraphRecorder recorder;
  LinkObservers links;
  GraphRecorder::Recorded recorded;

  Recording(const config::ExperimentSpec& experiment, const Job& job)
      : machine(experiment.platform), usage(machine), run(machine, job, experiment), recorder(job.size()) {
    run.observe(recorder);
    machine.observe_links(usage);
    run.run();
    recorded = recorder.graph(run, experiment);
  }
};

/// Time of the last iteration.
inline TimePs iteration_ps(const JobRun& run) {
  const auto iterations = run.iterations();
  return iterations.back().end_ps - iterations.back().start_ps;
}

}  // namespace wafertlm
