// SPDX-License-Identifier: Apache-2.0
#include "platform/run/iteration_work.h"

#include "workloads/layers/data_parallel.h"
#include "workloads/training/model_work.h"

namespace wafertlm {
namespace {

IterationWork of_traces(const Job& job) {
  double operations = 0;
  for (const chakra::TraceSummary& rank : job.summaries) {
    if (rank.computations_without_operations != 0) return {};
    operations += rank.operations;
  }
  IterationWork work;
  if (operations > 0) work.operations = operations;
  return work;
}

IterationWork of_layers(const config::WorkloadSpec& workload) {
  const layers::DataParallelSpec spec = data_parallel_spec(workload);
  const double samples = static_cast<double>(spec.data_parallel) * static_cast<double>(spec.batch_per_npu);
  IterationWork work;
  work.operations = samples * layers::step_operations(spec.layers);
  work.samples = samples;
  return work;
}

IterationWork of_training(const config::TrainingSpec& training) {
  const auto plan = training_plan(training);
  IterationWork work;
  work.operations = training::model_operations(*plan);
  const training::Strategy& part = training.strategy;
  if (part.chunks_to_simulate() != part.chunks_per_stage) return work;
  work.samples = static_cast<double>(plan->strategy().minibatch);
  if (plan->model().tokens != 0) work.tokens = *work.samples * static_cast<double>(plan->model().tokens);
  return work;
}

}  // namespace

IterationWork iteration_work(const config::ExperimentSpec& experiment, const Job& job) {
  switch (experiment.workload.kind) {
    case config::WorkloadKind::data_parallel:
      return of_layers(experiment.workload);
    case config::WorkloadKind::training:
      return of_training(experiment.workload.training);
    case config::WorkloadKind::traces:
      break;
  }
  return of_traces(job);
}

}  // namespace wafertlm
