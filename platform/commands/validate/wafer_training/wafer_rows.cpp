// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/wafer_training/kernel_step.h"
#include "platform/commands/validate/wafer_training/streamed_time.h"
#include "platform/text/format.h"

namespace wafertlm::validate {
namespace {

using namespace wafers;

bool is_speed_up(const ValidationRow& row) { return says(row.operation, "speed-?up"); }
bool is_first_load(const ValidationRow& row) { return says(row.operation, "initial weights"); }

bool is_of_a_wafer(const ValidationRow& row) {
  return says(row.system, "Cerebras|\\bCS-?\\d|\\bWSE") && !says(row.operation, "estimate|power") &&
         (says(row.operation, "\\btrain") || is_speed_up(row) || is_first_load(row));
}

/// Of a step: from its seconds to what a unit counts. None: no unit of a step.
std::optional<double> in_unit_of_row(const std::string& unit, const StreamedStep& step, double seconds) {
  const auto samples = static_cast<double>(step.samples);
  if (says(unit, "^\\s*(samples?|sequences?)( ?/ ?| per )s")) return samples / seconds;
  if (says(unit, "^\\s*tok(en)?s?( ?/ ?| per )s"))
    return samples * static_cast<double>(step.sequence) / seconds;
  if (says(unit, "^\\s*steps?( ?/ ?| per )s")) return 1 / seconds;
  if (says(unit, "^\\s*(s|sec|seconds?)( ?/ ?| per |$)")) return seconds;
  if (says(unit, "^\\s*(ms|milliseconds?)( ?/ ?| per |$)")) return 1e3 * seconds;
  return std::nullopt;
}

void check_wafer_unit(const ValidationRow& row) {
  const bool is_known = is_speed_up(row)     ? is_part(row.unit)
                        : is_first_load(row) ? time_unit(row.unit).has_value()
                                             : in_unit_of_row(row.unit, {}, 1).has_value();
  if (!is_known)
    throw bad_row(row, fmt::format("unit: '{}' is none of a step on wafers; s/step, ms/step, samples/s, "
                                   "tokens/s are, and x of a speed-up",
                                   row.unit));
}

std::string how(const StreamedStep& step, const config::ExperimentSpec& experiment,
                const StreamedTime& time) {
  const training::Strategy& strategy = experiment.workload.training.strategy;
  const auto part = [&](const char* category) {
    const auto found = time.breakdown.find(category);
    return found == time.breakdown.end() ? 0 : 100 * found->second / time.seconds;
  };
  std::string text = fmt::format(
      "{} of {} tokens on {} x {}, {} dies each: {} microbatches of {} samples; computes {:.1f} %, exposed "
      "sums over hidden {:.1f} %, weights {:.1f} %",
      step.model.name, step.sequence, step.wafers, step.platform, strategy.degrees.workers(),
      strategy.microbatches, step.samples_of_wafer() / strategy.microbatches, part("compute"), part("mp"),
      part("weights"));
  if (strategy.chunks_per_stage > step.model.layers)
    text += fmt::format("; a layer comes in {} parts", strategy.chunks_per_stage / step.model.layers);
  if (!step.assumptions.empty()) text += fmt::format("; assumed: {}", fmt::join(step.assumptions, ", "));
  return text;
}

Answer wafer_answer(const ValidationRow& row) {
  if (is_first_load(row))
    throw CannotSay("the file system and hosts that initial weights come from are not modelled");
  StreamedStep step = streamed_step_of(row);
  step.changes = row.changes;
  const config::ExperimentSpec experiment = experiment_of(step);
  const StreamedTime time = simulated_time(experiment);
  Answer answer;
  answer.how = how(step, experiment, time);
  answer.calibrated_by = experiment.platform.npu.compute.fp16.calibrated_by;
  if (is_speed_up(row)) {
    StreamedStep alone = step;
    alone.wafers = 1;
    alone.samples = step.samples_of_wafer();
    answer.simulated = step.wafers * simulated_time(experiment_of(alone)).seconds / time.seconds;
    answer.closed_form = step.wafers;
    return answer;
  }
  answer.simulated = in_unit_of_row(row.unit, step, time.seconds).value_or(time.seconds);
  answer.closed_form = in_unit_of_row(row.unit, step, closed_form_time(experiment));
  if (const auto kernels = kernel_step_s(step, time)) {
    const double value = in_unit_of_row(row.unit, step, *kernels).value_or(*kernels);
    answer.how += fmt::format("; with kernels on cores in place of the rate {:.4g} ({:+.1f} %)", value,
                              row.value > 0 ? 100 * (value / row.value - 1) : 0.0);
  }
  return answer;
}

}  // namespace

RowKind wafer_training_rows() {
  return {"wafer training", is_of_a_wafer, [](const ValidationRow&) { return std::string("wafers"); },
          check_wafer_unit, wafer_answer};
}

}  // namespace wafertlm::validate
