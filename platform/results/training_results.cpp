// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "platform/command/format.h"
#include "platform/results/fields.h"
#include "platform/results/parts.h"
#include "platform/run/job.h"
#include "workloads/training/memory.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// Of a workload that this program generates.
struct TrainingRow {
  std::uint64_t minibatch = 0;
  std::optional<double> rate;
  double peak = 0;
  /// Not with data_parallel.
  struct Model {
    std::uint64_t needed_bytes, capacity_bytes;
    training::Strategy all, simulated;
  };
  std::optional<Model> model;
};

const results::Fields<TrainingRow>& training_fields() {
  static const results::Fields<TrainingRow> all([](results::Fields<TrainingRow>& f) {
    namespace schema = results::schema;
    using R = const TrainingRow&;
    using M = const TrainingRow::Model&;
    const Json or_null = {{"type", {"number", "null"}}};
    f.add("minibatch", schema::positive(), [](R row) { return row.minibatch; });
    f.add("effective_rate_operations_per_s", or_null,
          [](R row) { return row.rate ? Json(*row.rate) : Json(); });
    f.add("peak_operations_per_s", schema::number(), [](R row) { return row.peak; });
    f.add("effective_to_peak", or_null,
          [](R row) { return row.rate && row.peak > 0 ? Json(*row.rate / row.peak) : Json(); });
    const auto add = [&f](const char* name, Json schema, auto value) {
      f.add_if([](R row) { return row.model.has_value(); }, name, std::move(schema),
               [value](R row) { return Json(value(*row.model)); });
    };
    add("memory_needed_bytes", schema::count(), [](M of) { return of.needed_bytes; });
    add("memory_capacity_bytes", schema::count(), [](M of) { return of.capacity_bytes; });
    add("memory_fits", schema::boolean(), [](M of) { return of.needed_bytes <= of.capacity_bytes; });
    add("chunks_per_stage", schema::positive(), [](M of) { return of.all.chunks_per_stage; });
    add("simulated_chunks", schema::positive(), [](M of) { return of.simulated.chunks_to_simulate(); });
    add("weight_loads_per_pass", schema::positive(), [](M of) { return of.all.weight_loads_per_pass; });
    add("simulated_rounds", schema::positive(), [](M of) { return of.simulated.rounds_to_simulate(); });
  });
  return all;
}

}  // namespace

Json training_json(const config::ExperimentSpec& experiment) {
  const config::WorkloadSpec& workload = experiment.workload;
  const config::NpuSpec& npu = experiment.platform.npu;
  const auto peak = static_cast<double>(npu.peak_operations_per_s);
  if (workload.kind == config::WorkloadKind::traces) return nullptr;
  if (workload.kind == config::WorkloadKind::data_parallel) {
    const config::DataParallelSpec& spec = workload.data_parallel;
    return training_fields().json(
        {spec.data_parallel * spec.batch_per_npu, spec.effective_rate_operations_per_s, peak, {}});
  }
  const training::Strategy strategy = workload.training.whole_strategy();
  const training::Plan plan(config::build_model(workload.training.model), strategy);
  std::uint64_t needed = 0;
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank)
    needed = std::max(needed, memory_need(plan, rank).total());
  return training_fields().json(
      {strategy.minibatch, workload.training.effective_rate_operations_per_s, peak,
       TrainingRow::Model{needed, npu.hbm.capacity_bytes, strategy, workload.training.strategy}});
}

Json training_schema() { return training_fields().schema(); }

std::string training_text(const Json& results) {
  const Json& training = results["training"];
  if (training.is_null()) return "";
  std::string text;
  if (!training["effective_to_peak"].is_null())
    text += fmt::format("The workload's effective rate is {:.4g} TFLOPS, {:.4g} times the peak of an NPU.\n",
                        training["effective_rate_operations_per_s"].get<double>() / 1e12,
                        training["effective_to_peak"].get<double>());
  if (training.contains("simulated_chunks")) {
    const auto part = [&](const char* simulated, const char* all, const char* what) {
      if (training[simulated] != training[all])
        text +=
            fmt::format("Only {} of {} {} are simulated: all times are of this part.\n",
                        training[simulated].get<std::uint32_t>(), training[all].get<std::uint32_t>(), what);
    };
    part("simulated_chunks", "chunks_per_stage", "chunks of each stage");
    part("simulated_rounds", "weight_loads_per_pass", "rounds of weight_loads_per_pass");
  }
  if (training.contains("memory_fits") && !training["memory_fits"].get<bool>())
    text +=
        fmt::format("It does not fit: a rank needs {} of memory, and an NPU has {} (hbm_overflow: note).\n",
                    format_bytes(training["memory_needed_bytes"].get<std::uint64_t>()),
                    format_bytes(training["memory_capacity_bytes"].get<std::uint64_t>()));
  return text;
}

}  // namespace wafertlm
