// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/experiment_spec.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/text/format.h"
#include "platform/text/suggest.h"
#include "workloads/training/memory.h"

namespace wafertlm::config {

namespace {

/// A prefix of traces is not counted here: reading them tells how many ranks there are.
/// The given degrees with one of them smaller.
std::string degrees_that_fit(const Parallelism& degrees, std::uint32_t npus) {
  std::string fitting;
  const auto add = [&](std::uint32_t Parallelism::*degree) {
    Parallelism smaller = degrees;
    const std::uint32_t others = degrees.workers() / (degrees.*degree);
    if (others > npus) return;
    smaller.*degree = npus / others;
    fitting += (fitting.empty() ? "; fitting: " : ", ") + to_string(smaller);
  };
  add(&Parallelism::mp);
  add(&Parallelism::dp);
  add(&Parallelism::pp);
  return fitting;
}

void check_ranks(const ExperimentSpec& experiment, const Check& check) {
  const WaferSpec& wafer = experiment.platform.wafer;
  const FabricKind& kind = fabric_kind(wafer);
  const std::size_t working = wafer.npu_count() - kind.failed_npus(wafer.fabric).size();
  const auto require = [&](std::uint32_t ranks, const void* culprit, const std::string& remedy = "") {
    if (ranks > working)
      check.fail({culprit}, "{} ranks do not fit on the {} with {} working NPUs ({}){}", ranks,
                 kind.wafer_name(wafer), working, listed(kind.size_keys()), remedy);
  };
  const WorkloadSpec& workload = experiment.workload;
  if (workload.kind == WorkloadKind::data_parallel)
    require(workload.data_parallel.data_parallel, &workload.data_parallel.data_parallel);
  else if (workload.kind == WorkloadKind::training)
    require(workload.training.strategy.degrees.workers(), &workload.training.strategy.degrees,
            degrees_that_fit(workload.training.strategy.degrees, static_cast<std::uint32_t>(working)));
  else if (workload.traces.replicate)
    require(*workload.traces.replicate, &workload.traces.replicate);
}

/// A rate that no NPU can sustain.
void check_rate(const ExperimentSpec& experiment, const Check& check) {
  const WorkloadSpec& workload = experiment.workload;
  const auto peak = static_cast<double>(experiment.platform.npu.peak_operations_per_s);
  const auto require = [&](double rate, const void* culprit) {
    if (rate > peak)
      check.fail(
          {culprit},
          "{:.6g} TFLOPS is {:.3g} times the peak of an NPU (npu.peak: {:.6g} TFLOPS); give a lower rate "
          "or the peak of the precision that is computed in",
          rate / 1e12, rate / peak, peak / 1e12);
  };
  if (workload.kind == WorkloadKind::data_parallel)
    require(workload.data_parallel.effective_rate_operations_per_s,
            &workload.data_parallel.effective_rate_operations_per_s);
  else if (workload.kind == WorkloadKind::training && workload.training.effective_rate_operations_per_s)
    require(*workload.training.effective_rate_operations_per_s,
            &workload.training.effective_rate_operations_per_s);
}

/// What would make the largest part smaller.
const char* remedy(const training::MemoryNeed& need, const training::Strategy& strategy) {
  if (need.streaming > std::max({need.parameters, need.gradients, need.activations}))
    return "more chunks_per_stage, fewer weight_buffers (overlap_weights: false) or weight_delivery: needed "
           "would help";
  if (strategy.keeps_activations())
    return "recompute: full, or more microbatches and weight_loads_per_pass would help";
  if (need.activations >= std::max({need.parameters, need.gradients, need.optimizer, need.gathered}))
    return "recompute: selective or full, more microbatches or sequence_parallel would help";
  if (need.streaming != 0) return "gradient_store: every_load, more MP or more PP would help";
  if (need.optimizer >= std::max({need.parameters, need.gradients, need.gathered}))
    return "zero_stage 1 or higher, more MP or more PP would help";
  return "a higher zero_stage, more MP or more PP would help";
}

/// A model that does not fit is refused, or the run would stand for a machine that cannot exist.
void check_memory(const ExperimentSpec& experiment, const Check& check) {
  const WorkloadSpec& workload = experiment.workload;
  if (workload.kind != WorkloadKind::training || experiment.hbm_overflow == HbmOverflow::note) return;
  const training::Plan plan(build_model(workload.training.model), workload.training.whole_strategy());
  const std::uint64_t capacity = experiment.platform.npu.hbm.capacity_bytes;
  for (std::uint32_t rank = 0; rank < plan.ranks(); rank += plan.strategy().degrees.mp) {
    const training::MemoryNeed need = memory_need(plan, rank);
    if (need.total() <= capacity) continue;
    check.fail({&workload.training.strategy.degrees},
               "rank {} needs {} of memory, {} more than the HBM of an NPU holds ({}): parameters {}, "
               "gradients {}, optimizer {}, activations {}{}{}; {}",
               rank, format_bytes(need.total()), format_bytes(need.total() - capacity),
               format_bytes(capacity), format_bytes(need.parameters), format_bytes(need.gradients),
               format_bytes(need.optimizer), format_bytes(need.activations),
               need.gathered ? ", gathered " + format_bytes(need.gathered) : "",
               need.streaming ? ", streaming buffers " + format_bytes(need.streaming) : "",
               remedy(need, plan.strategy()));
  }
}

/// What is offloaded needs a place, and its NPU's part of it must be large enough.
void check_experiment_offload(const ExperimentSpec& experiment, const Check& check) {
  const WorkloadSpec& workload = experiment.workload;
  if (workload.kind != WorkloadKind::training) return;
  const training::Offload& offload = workload.training.strategy.offload;
  if (!offload.any()) return;
  const std::vector<const void*> keys = {&offload.weights, &offload.gradients, &offload.optimizer};
  const auto& remote = experiment.platform.remote_memory;
  if (!remote)
    check.fail(keys, "needs a remote memory, and the platform has none; add 'remote_memory' to it");
  const std::uint64_t room = remote->capacity_bytes / experiment.platform.wafer.npu_count();
  const training::Plan plan(build_model(workload.training.model), workload.training.whole_strategy());
  for (std::uint32_t rank = 0; rank < plan.ranks(); rank += plan.strategy().degrees.mp)
    if (const std::uint64_t bytes = memory_need(plan, rank).offloaded; bytes > room)
      check.fail(keys,
                 "rank {} offloads {}, and an NPU's part of the remote memory is {}; set "
                 "remote_memory.capacity to {} or more",
                 rank, format_bytes(bytes), format_bytes(room),
                 format_bytes(bytes * experiment.platform.wafer.npu_count()));
}

/// Streams need a way in.
void check_streams(const ExperimentSpec& experiment, const Check& check) {
  const WorkloadSpec& workload = experiment.workload;
  if (workload.kind != WorkloadKind::training || experiment.platform.wafer.io.controllers.any()) return;
  const training::Strategy& strategy = workload.training.strategy;
  const char* const without =
      "needs I/O controllers, and the platform has none; set wafer.io.controllers (of a mesh perimeter, of "
      "FRED a number such as 18), or use ";
  if (strategy.streams_weights()) check.fail({&strategy.weights}, "{}stationary", without);
  if (strategy.input == training::Input::streamed) check.fail({&strategy.input}, "{}prefetched", without);
}

}  // namespace

std::shared_ptr<const Struct<ExperimentSpec>> experiment_type() {
  static const auto type = [] {
    auto experiment = std::make_shared<Struct<ExperimentSpec>>("experiment");
    experiment->presets_in("experiments");
    experiment->required("experiment", &ExperimentSpec::name, text(), "Name of the experiment")
        .required("platform", &ExperimentSpec::platform,
                  std::make_shared<const FileOr<PlatformSpec>>(platform_type()), "The platform, or its file")
        .shorthand()
        .required("workload", &ExperimentSpec::workload,
                  std::make_shared<const FileOr<WorkloadSpec>>(inline_workload_type()),
                  "The workload, or its file")
        .optional("iterations", &ExperimentSpec::iterations, integer<std::uint32_t>(1, 1'000'000),
                  "How often the workload runs")
        .optional("barrier", &ExperimentSpec::barrier, boolean(),
                  "All ranks wait for each other between iterations")
        .optional("list_all_iterations", &ExperimentSpec::list_all_iterations, boolean(),
                  "Results list every iteration; false: of more than 100 the first ten and the last, with "
                  "how the times of all are distributed")
        .optional("hbm_overflow", &ExperimentSpec::hbm_overflow, one_of<HbmOverflow>({"error", "note"}),
                  "A workload that needs more memory than an NPU has is refused, or runs and is marked in "
                  "the results")
        .optional("costs", &ExperimentSpec::costs,
                  maybe<CostSpec>(std::make_shared<const FileOr<CostSpec>>(cost_type())),
                  "Prices and powers, or their file (configs/costs): results say what the platform costs and "
                  "draws")
        .check(check_ranks)
        .check(check_rate)
        .check(check_streams)
        .check(check_memory)
        .check(check_experiment_offload);
    return experiment;
  }();
  return type;
}

}  // namespace wafertlm::config
