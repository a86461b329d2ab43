// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/streamed_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "platform/host/presets.h"
#include "platform/run/job.h"
#include "platform/run/last_iteration.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
#include "workloads/training/memory.h"

namespace wafertlm::validate::wafers {
namespace {

constexpr std::uint32_t kMostPartsOfALayer = 4;

std::vector<std::string> changes_of(const StreamedStep& step) {
  const steps::ModelShape& model = step.model;
  std::vector<std::string> changes = {"platform=" + step.platform, "hbm_overflow=note"};
  changes.insert(changes.end(), step.changes.begin(), step.changes.end());
  const auto set = [&](const char* key, auto value) {
    changes.push_back(fmt::format("workload.{}={}", key, value));
  };
  set("model.model", "'" + model.name + "'");
  set("model.transformer.layers", model.layers);
  set("model.transformer.hidden", model.hidden);
  set("model.transformer.heads", model.heads);
  set("model.transformer.kv_heads", model.kv_heads);
  set("model.transformer.mlp_hidden", model.mlp_hidden);
  set("model.transformer.gated_mlp", model.gated);
  set("model.transformer.vocabulary", model.vocabulary);
  set("model.transformer.tied_embeddings", model.tied);
  set("model.transformer.sequence", step.sequence);
  set("minibatch", step.samples_of_wafer());
  set("microbatches", step.samples_of_wafer());
  set("weight_loads_per_pass", step.samples_of_wafer());
  set("chunks_per_stage", model.layers);
  return changes;
}

training::MemoryNeed need_of(const config::ExperimentSpec& experiment) {
  return training::memory_need(*training_plan(experiment.workload.training), 0);
}

/// Whether microbatches fit, the fewest of them, if `chunks` come in one after the other.
bool fits(config::ExperimentSpec& experiment, std::uint32_t chunks, std::uint64_t samples) {
  training::Strategy& strategy = experiment.workload.training.strategy;
  strategy.chunks_per_stage = chunks;
  for (std::uint32_t microbatches = 1; microbatches <= samples; ++microbatches) {
    if (samples % microbatches != 0) continue;
    strategy.microbatches = strategy.weight_loads_per_pass = microbatches;
    if (need_of(experiment).total() <= experiment.platform.npu.hbm.capacity_bytes) return true;
  }
  return false;
}

void fit(config::ExperimentSpec& experiment, const StreamedStep& step) {
  for (std::uint32_t parts = 1; parts <= kMostPartsOfALayer; parts *= 2)
    if (fits(experiment, static_cast<std::uint32_t>(step.model.layers) * parts, step.samples_of_wafer()))
      return;
  const std::uint64_t need = need_of(experiment).total(),
                      capacity = experiment.platform.npu.hbm.capacity_bytes;
  throw CannotSay(fmt::format("one sample needs {} of a die's memory, {} more than its {}",
                              format_bytes(need), format_bytes(need - capacity), format_bytes(capacity)));
}

using Breakdown = std::map<std::string, double>;

StreamedTime time_of(Breakdown breakdown) {
  StreamedTime time{0, std::move(breakdown)};
  for (const auto& [category, spent] : time.breakdown) time.seconds += spent;
  return time;
}

/// from + (to - from) x steps, category by category.
Breakdown along(const Breakdown& from, const Breakdown& to, double steps) {
  Breakdown result;
  for (const auto& each : {from, to})
    for (const auto& [category, time] : each) result[category] = 0;
  const auto at = [](const Breakdown& of, const std::string& category) {
    const auto found = of.find(category);
    return found == of.end() ? 0 : found->second;
  };
  for (auto& [category, time] : result)
    time = at(from, category) + (at(to, category) - at(from, category)) * steps;
  return result;
}

}  // namespace

std::uint32_t tree_levels(std::uint32_t wafers) {
  std::uint32_t levels = 0;
  for (std::uint64_t reached = 1; reached < wafers; reached *= kFanOut) ++levels;
  return levels;
}

config::ExperimentSpec experiment_of(const StreamedStep& step) {
  const auto file = required_configs_folder({"experiments"}) / "experiments" / "llama2_7b_wse3.yaml";
  config::ExperimentSpec experiment = config::load_experiment(file.string(), changes_of(step));
  experiment.platform.wafer.io.latency_ps *= 1 + tree_levels(step.wafers);
  fit(experiment, step);
  return experiment;
}

StreamedTime simulated_part(config::ExperimentSpec experiment, std::uint32_t chunks, std::uint32_t rounds) {
  training::Strategy& strategy = experiment.workload.training.strategy;
  strategy.simulated_chunks = chunks;
  strategy.simulated_rounds = rounds;
  const IterationResult iteration = simulated_last_iteration(experiment);
  Breakdown breakdown;
  for (const auto& [category, time] : iteration.last) breakdown[category] = seconds(time);
  return time_of(std::move(breakdown));
}

StreamedTime simulated_time(const config::ExperimentSpec& experiment) {
  const training::Strategy& strategy = experiment.workload.training.strategy;
  // The first and the last chunk also have embedding and head.
  const std::uint32_t all = strategy.chunks_per_stage, few = std::min(all, 2U), more = std::min(all, 4U);
  const auto with_all_chunks = [&](std::uint32_t rounds) {
    const Breakdown from = simulated_part(experiment, few, rounds).breakdown;
    if (all == few) return from;
    return along(from, simulated_part(experiment, more, rounds).breakdown,
                 static_cast<double>(all - few) / static_cast<double>(more - few));
  };
  const Breakdown once = with_all_chunks(1);
  if (strategy.weight_loads_per_pass == 1) return time_of(once);
  return time_of(along(once, with_all_chunks(2), strategy.weight_loads_per_pass - 1.));
}

double closed_form_time(const config::ExperimentSpec& experiment) {
  const config::TrainingSpec& training = experiment.workload.training;
  const config::PlatformSpec& platform = experiment.platform;
  const training::Strategy strategy = training.complete_strategy();
  const model::Model model = config::build_model(training.model);
  const double ranks = strategy.degrees.workers();
  const double compute = static_cast<double>(step_operations(model, strategy.recompute)) *
                         static_cast<double>(strategy.minibatch) / ranks /
                         platform.npu.compute.fp16.peak_operations_per_s.value_or(1);
  const double ports = static_cast<double>(platform.wafer.io.bandwidth_bytes_per_s) *
                       static_cast<double>(platform.wafer.io.controllers.list.size());
  const double streams = 2. * static_cast<double>(model::parameters(model)) * strategy.element_bytes *
                         strategy.weight_loads_per_pass / ports;
  return std::max(compute, streams);
}

}  // namespace wafertlm::validate::wafers
