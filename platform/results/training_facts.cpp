// SPDX-License-Identifier: Apache-2.0
#include "platform/results/training_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "platform/command/format.h"
#include "platform/run/job.h"
#include "workloads/training/memory.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

Json with_rate(std::uint64_t minibatch, std::optional<double> rate, double peak) {
  return {{"minibatch", minibatch},
          {"effective_rate_operations_per_s", rate ? Json(*rate) : Json()},
          {"peak_operations_per_s", peak},
          {"effective_to_peak", rate && peak > 0 ? Json(*rate / peak) : Json()}};
}

}  // namespace

Json training_facts(const config::ExperimentSpec& experiment) {
  const config::WorkloadSpec& workload = experiment.workload;
  const config::NpuSpec& npu = experiment.platform.npu;
  const auto peak = static_cast<double>(npu.peak_operations_per_s);
  if (workload.kind == config::WorkloadKind::traces) return nullptr;
  if (workload.kind == config::WorkloadKind::data_parallel) {
    const config::DataParallelSpec& spec = workload.data_parallel;
    return with_rate(spec.data_parallel * spec.batch_per_npu, spec.effective_rate_operations_per_s, peak);
  }
  const training::Strategy strategy = workload.training.whole_strategy();
  const training::Plan plan(config::build_model(workload.training.model), strategy);
  std::uint64_t needed = 0;
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank)
    needed = std::max(needed, memory_need(plan, rank).total());
  Json facts = with_rate(strategy.minibatch, workload.training.effective_rate_operations_per_s, peak);
  facts["memory_needed_bytes"] = needed;
  facts["memory_capacity_bytes"] = npu.hbm.capacity_bytes;
  facts["memory_fits"] = needed <= npu.hbm.capacity_bytes;
  const training::Strategy& part = workload.training.strategy;
  facts["chunks_per_stage"] = strategy.chunks_per_stage;
  facts["simulated_chunks"] = part.chunks_to_simulate();
  facts["weight_loads_per_pass"] = strategy.weight_loads_per_pass;
  facts["simulated_rounds"] = part.rounds_to_simulate();
  return facts;
}

std::string training_facts_text(const Json& results) {
  const Json& facts = results["training"];
  if (facts.is_null()) return "";
  std::string text;
  if (!facts["effective_to_peak"].is_null())
    text += fmt::format("The workload's effective rate is {:.4g} TFLOPS, {:.4g} times the peak of an NPU.\n",
                        facts["effective_rate_operations_per_s"].get<double>() / 1e12,
                        facts["effective_to_peak"].get<double>());
  if (facts.contains("simulated_chunks")) {
    const auto part = [&](const char* simulated, const char* all, const char* what) {
      if (facts[simulated] != facts[all])
        text += fmt::format("Only {} of {} {} are simulated: all times are of this part.\n",
                            facts[simulated].get<std::uint32_t>(), facts[all].get<std::uint32_t>(), what);
    };
    part("simulated_chunks", "chunks_per_stage", "chunks of each stage");
    part("simulated_rounds", "weight_loads_per_pass", "rounds of weight_loads_per_pass");
  }
  if (facts.contains("memory_fits") && !facts["memory_fits"].get<bool>())
    text +=
        fmt::format("It does not fit: a rank needs {} of memory, and an NPU has {} (hbm_overflow: note).\n",
                    format_bytes(facts["memory_needed_bytes"].get<std::uint64_t>()),
                    format_bytes(facts["memory_capacity_bytes"].get<std::uint64_t>()));
  return text;
}

}  // namespace wafertlm
