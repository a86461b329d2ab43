// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/npu/compute_engine.h"
#include "platform/machine/machine.h"
#include "platform/run/dimension_groups.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/npu_spec.h"
#include "platform/text/format.h"
#include "platform/text/suggest.h"
#include "workloads/astra_text/training_job.h"
#include "workloads/chakra/peer_messages.h"
#include "workloads/chakra/recorded_communication.h"
#include "workloads/chakra/recorded_groups.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/layers/data_parallel.h"
#include "workloads/sequencer/collective_registry.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"

namespace wafertlm {
std::shared_ptr<const training::Plan> training_plan(const config::TrainingSpec& spec) {
  return std::make_shared<const training::Plan>(config::build_model(spec.model), spec.complete_strategy());
}

namespace {

using Sources = std::vector<std::unique_ptr<chakra::NodeSource>>;

std::vector<layers::Layer> layers_of(const config::LayersSpec& spec) {
  if (spec.table) {
    std::vector<layers::Layer> table;
    for (const config::LayerSpec& layer : spec.table->layers)
      table.push_back({layer.name, layer.parameters, layer.forward_operations, layer.activation_bytes});
    return table;
  }
  if (spec.model == "resnet50") return layers::resnet50();
  throw std::logic_error("no built-in model '" + spec.model + "'");  // the workload's check knows them
}

}  // namespace

layers::DataParallelSpec data_parallel_spec(const config::WorkloadSpec& spec) {
  const config::DataParallelSpec& from = spec.data_parallel;
  layers::DataParallelSpec to;
  to.workload = spec.name;
  to.layers = layers_of(from.layers);
  to.data_parallel = from.data_parallel;
  to.batch_per_npu = from.batch_per_npu;
  to.bytes_per_element = from.bytes_per_element;
  to.bucket_bytes = from.bucket_bytes;
  to.effective_rate = static_cast<std::uint64_t>(std::llround(from.effective_rate_operations_per_s));
  to.overlap = from.overlap;
  return to;
}

namespace {

Sources generated(const config::WorkloadSpec& workload) {
  const layers::DataParallelSpec to = data_parallel_spec(workload);
  Sources sources;
  for (std::uint32_t rank = 0; rank < to.data_parallel; ++rank)
    sources.push_back(std::make_unique<layers::LayerGenerator>(to, rank));
  return sources;
}

Sources trained(const config::TrainingSpec& spec) {
  const auto plan = training_plan(spec);
  const training::Plan whole(plan->model(), spec.whole_strategy());
  std::vector<std::uint64_t> memory_bytes;  // by stage
  for (std::uint32_t stage = 0; stage < whole.strategy().degrees.pp; ++stage)
    memory_bytes.push_back(memory_need(whole, whole.strategy().degrees.worker(0, stage, 0)).total());
  Sources sources;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank)
    sources.push_back(
        std::make_unique<training::TrainingGenerator>(plan, rank, memory_bytes[plan->coordinates(rank).pp]));
  return sources;
}

Sources traced(const config::TraceSpec& spec) {
  Sources sources;
  if (astra_text::is_text_workload(spec.path)) {
    const astra_text::TrainingJob job(spec.path, *spec.replicate);
    for (std::uint32_t rank = 0; rank < *spec.replicate; ++rank)
      sources.push_back(std::make_unique<chakra::VectorSource>(spec.path, job.nodes(rank)));
  } else if (spec.replicate) {
    sources = chakra::replicas(spec.path, *spec.replicate);
  } else {
    for (const std::string& file : chakra::find_rank_files(spec.path))
      sources.push_back(chakra::open_trace(file));
  }
  if (spec.communication == config::TraceCommunication::recorded)
    for (auto& source : sources) source = chakra::with_recorded_communication(std::move(source));
  return sources;
}

}  // namespace

Sources workload_sources(const config::WorkloadSpec& workload) {
  switch (workload.kind) {
    case config::WorkloadKind::traces:
      return traced(workload.traces);
    case config::WorkloadKind::data_parallel:
      return generated(workload);
    case config::WorkloadKind::training:
      break;
  }
  return trained(workload.training);
}

chakra::CommGroups workload_groups(const config::WorkloadSpec& workload, const Sources& sources) {
  const auto ranks = static_cast<std::uint32_t>(sources.size());
  if (workload.kind == config::WorkloadKind::training)
    return chakra::CommGroups::from_map(training_plan(workload.training)->groups(), ranks);
  const config::TraceSpec& traces = workload.traces;
  if (!traces.comm_groups.empty()) return chakra::CommGroups::from_file(traces.comm_groups, ranks);
  if (workload.kind != config::WorkloadKind::traces) return chakra::CommGroups(ranks);
  if (astra_text::is_text_workload(traces.path))
    return chakra::CommGroups::from_map(astra_text::TrainingJob(traces.path, ranks).groups(), ranks);
  // All replicas are one file.
  return traces.replicate ? chakra::recorded_groups(std::vector{traces.path}, ranks)
                          : chakra::recorded_groups(sources, ranks);
}

namespace {

Placement placement_of(const config::ExperimentSpec& experiment, std::uint32_t ranks) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  const Parallelism degrees = experiment.workload.placed_as(ranks);
  if (degrees.workers() != ranks)
    throw std::invalid_argument(
        fmt::format("workload.placed_as is {} with {} workers, but there are traces of {} ranks",
                    to_string(degrees), degrees.workers(), ranks));
  return place_workers(experiment.workload.policy(), degrees, fabric_kind(wafer).grid(wafer),
                       experiment.platform.run.seed);
}

void require_npus(const config::PlatformSpec& platform, std::uint32_t ranks) {
  if (ranks <= platform.wafer.npu_count()) return;
  const std::vector<std::string> keys = fabric_kind(platform.wafer).size_keys();
  const config::Origin* const origin = platform.origins.find(keys.front());
  throw config::ConfigError(
      origin ? origin->place : config::SourceLocation{platform.name, 0, 0},
      fmt::format("the workload has {} ranks and the platform {} NPUs; choose a larger platform ({}), or "
                  "traces of fewer ranks",
                  ranks, platform.wafer.npu_count(), config::listed(keys)));
}

void require_way_of_streams(const config::ExperimentSpec& experiment, const Job& job) {
  if (experiment.platform.wafer.io.controllers.any()) return;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank)
    if (job.summaries[rank].io_streams != 0)
      throw std::invalid_argument(
          fmt::format("{}: rank {} takes part in streams through I/O controllers, of which the platform has "
                      "none; set wafer.io.controllers",
                      job.ranks[rank]->name(), rank));
}

/// What a straggler, a slow NPU, jitter and all iterations can make of a computation.
double longest_factor(const config::ExperimentSpec& experiment) {
  constexpr double kMaxSpreads = 6;  // of the normal jitter
  const config::ComputeSpec& compute = experiment.platform.npu.compute;
  std::uint32_t slowdown_percent = 100;
  for (const config::StragglerSpec& straggler : compute.stragglers)
    slowdown_percent = std::max(slowdown_percent, straggler.slowdown_percent);
  const double spreads = compute.jitter == Jitter::normal ? kMaxSpreads : 1;
  std::uint32_t speed_percent = 100;
  for (const config::SlowNpu& slow : experiment.platform.wafer.fabric.defects.slow_npus)
    speed_percent = std::min(speed_percent, slow.speed_percent);
  for (const config::PartialHbm& part : experiment.platform.wafer.fabric.defects.hbm)
    speed_percent = std::min(speed_percent, part.share_percent);  // one of both limits a computation
  return slowdown_percent / static_cast<double>(speed_percent) *
         (1 + spreads * compute.jitter_percent / 100) * experiment.iterations;
}

/// The limits of the platform. `array_used` becomes true when a node computes on the systolic array, or by
/// tiles.
chakra::ValidateOptions validate_options(const config::ExperimentSpec& experiment, bool& array_used) {
  const config::PlatformSpec& platform = experiment.platform;
  chakra::ValidateOptions options;
  options.dependencies = experiment.workload.traces.dependencies;
  for (const config::TrafficClassSpec& row : platform.wafer.fabric.classes)
    options.classes.push_back(row.name);
  options.max_bytes = std::min(chakra::kMaxBytes, platform.npu.hbm.capacity_bytes);
  options.max_bytes_of = "the memory of an NPU, npu.hbm.capacity";
  const auto engine =
      std::make_shared<const ComputeEngine>(compute_params(platform.npu, 0, platform.run.seed));
  options.longest_ps = [engine, &array_used, factor = longest_factor(experiment),
                        iterations = static_cast<double>(experiment.iterations)](const chakra::Node& node) {
    if (node.is_cpu_op || node.type != chakra::NodeType::Comp)
      return static_cast<double>(node.duration_ps) * iterations;
    const ComputeEngine::Nominal nominal = engine->nominal(
        {node.num_ops.value_or(0), node.tensor_size.value_or(0), node.duration_ps, node.products});
    if (nominal.model != nullptr && nominal.model->needs_products()) array_used = true;
    return factor * static_cast<double>(nominal.time_ps);
  };
  return options;
}

/// An array that nothing runs on is a mistake; beside products there may be work that is none.
void require_array_used(const config::ExperimentSpec& experiment, bool array_used) {
  const config::ComputeModelKind model = experiment.platform.npu.compute.model;
  if (array_used || model == config::ComputeModelKind::roofline) return;
  throw std::invalid_argument(fmt::format(
      "npu.compute.model: {} has no effect on this workload: no computation on an NPU names its matrix "
      "products (attribute wafertlm_products: m, n, k, count) and has its duration left to the model. Set "
      "npu.compute.durations: model to compute the durations of nodes that have one, leave effective_flops "
      "out of a workload of a model, or set npu.compute.model: roofline",
      model == config::ComputeModelKind::tiled ? "tiled" : "systolic"));
}

void require_ranks_of_stragglers(const config::ExperimentSpec& experiment, const Placement& npus) {
  for (const config::StragglerSpec& straggler : experiment.platform.npu.compute.stragglers)
    if (std::find(npus.begin(), npus.end(), straggler.npu) == npus.end())
      throw std::invalid_argument(
          fmt::format("npu.compute.stragglers: NPU {} computes nothing, because none of the workload's ranks "
                      "0 to {} is placed there; leave it out",
                      index_of(straggler.npu), npus.size() - 1));
}

/// What does not fit is refused, or the run would stand for a machine that cannot exist.
void require_memory(const config::ExperimentSpec& experiment, const Job& job) {
  if (experiment.hbm_overflow == config::HbmOverflow::note) return;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    const std::uint64_t bytes = job.summaries[rank].footprint.bytes,
                        capacity = hbm_capacity_bytes(experiment.platform, job.npus[rank]);
    if (bytes <= capacity) continue;
    throw std::invalid_argument(fmt::format(
        "{}: rank {} needs {} of memory at the same time, {} more than the HBM of an NPU holds ({}); use "
        "traces of more ranks or of smaller parts, a larger npu.hbm.capacity, or hbm_overflow: note to run "
        "it all the same",
        job.ranks[rank]->name(), rank, format_bytes(bytes), format_bytes(bytes - capacity),
        format_bytes(capacity)));
  }
}

}  // namespace

Job load_job(const config::ExperimentSpec& experiment) {
  const config::WorkloadSpec& workload = experiment.workload;
  Sources sources = workload_sources(workload);
  const auto ranks = static_cast<std::uint32_t>(sources.size());
  require_npus(experiment.platform, ranks);
  chakra::CommGroups of_workload = workload_groups(workload, sources);
  Job job{std::move(of_workload),
          std::move(sources),
          {},
          workload.traces.dependencies,
          placement_of(experiment, ranks)};
  const std::size_t count = job.groups.count();
  if (workload.kind == config::WorkloadKind::traces) {
    const config::WaferSpec& wafer = experiment.platform.wafer;
    job.dimension_groups = add_dimension_groups(
        job.ranks, job.groups, fabric_kind(wafer).traits(wafer).topology->dimensions(), job.npus);
    const auto groups = std::make_shared<const chakra::CommGroups>(job.groups);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      job.ranks[rank] = chakra::with_peer_messages(std::move(job.ranks[rank]), groups, rank);
  }
  std::vector<chakra::NodeSource*> pointers;
  for (const auto& source : job.ranks) pointers.push_back(source.get());
  require_ranks_of_stragglers(experiment, job.npus);
  bool array_used = false;
  job.summaries = chakra::validate_job(pointers, job.groups, validate_options(experiment, array_used));
  const std::string& groups_file = workload.traces.comm_groups;
  if (!groups_file.empty()) chakra::require_group_of_file(job.summaries, count, groups_file);
  require_array_used(experiment, array_used);
  require_memory(experiment, job);
  require_way_of_streams(experiment, job);
  return job;
}

}  // namespace wafertlm
