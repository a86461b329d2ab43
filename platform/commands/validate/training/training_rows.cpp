// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/training/calibration.h"
#include "platform/commands/validate/training/iteration.h"
#include "platform/commands/validate/training/units.h"

// What is simulated is in iteration.h and layer_time.h; defaults of frameworks and facts of recipes, in
// frameworks.cpp. Open rows that miss by more than 15 %, and what is known of it:
//  hw189 (Qwen3-30B on 16 H100, FP8; simulated 1.65 times as fast): its recipe runs without CUDA graphs; what
//    hosts add to short kernels has no model here. Qwen3-235B on GB200, with graphs: 9 %.
//  hw200, hw216 (mixtures of experts on TPU7x, v5p; 22 and 24 % too fast) and hw218 (dense, v5p; 26 % too
//    slow, for a mixture calibrates v5p): grouped products of megablox get less of the peak than dense ones;
//    padding of their tiles, their boundaries and sorting at the memory's rate explain half of it.
//  hw163 (11 %): between it and hw165 a ring of 2 is less uneven than contiguous order says.
namespace wafertlm::validate {
namespace {

using namespace steps;

/// Wafers that stream weights are others'.
bool is_training(const ValidationRow& row) {
  return says(row.operation, "\\btrain") && !says(row.operation, "stream|estimate|speed|power") &&
         !says(row.system, "Cerebras|\\bCS-\\d|WSE|wafer|Dojo");
}

void check_unit(const ValidationRow& row) {
  // Of what a step is not asked for here.
  constexpr const char* kOther =
      R"((^|[\s/])(steps?/s|days?|hours?|minutes?|min|[PE]FLOP(S|/s)|[kM]?W|[kM]?Wh|J)\b)";
  if (!unit_of(row.unit) && !is_part(row.unit) && !says(row.unit, kOther))
    throw bad_row(row, fmt::format("unit: '{}' is none of a training step; s, ms, TFLOP/s per GPU, % MFU, "
                                   "tokens/s, tokens/s/GPU, samples/s are",
                                   row.unit));
}

double part(double of, double all) { return all > 0 ? 100 * of / all : 0; }

std::string schedule_of(const JobSetup& setup) {
  if (setup.pipeline == 1)
    return setup.microbatches > 1 ? fmt::format(", {} micro-batches", setup.microbatches) : "";
  return fmt::format(", 1F1B{}, {} micro-batches",
                     setup.chunks > 1 ? fmt::format(" interleaved ({} chunks)", setup.chunks) : "",
                     setup.microbatches);
}

Answer answer_of(const ValidationRow& row) {
  if (!unit_of(row.unit)) throw CannotSay(fmt::format("'{}' is not derived from a step", row.unit));
  const Unit unit = *unit_of(row.unit);
  const JobSetup setup = setup_of(row);
  const Calibration calibration = calibration_of(setup);
  const Iteration iteration = iteration_of(setup, calibration.sustained);
  Answer answer;
  answer.simulated = in_unit(unit, setup, iteration.time);
  answer.closed_form = in_unit(unit, setup, roofline(setup, calibration.sustained));
  answer.calibrated_by = calibration.row;
  const double idle = iteration.time - iteration.busiest - iteration.exposed_data;
  answer.how = fmt::format(
      "{} {}, {}{}; products at {:.0f} % of the peak; idle {:.1f} %, exposed TP, CP, EP {:.1f} %, DP {:.1f} "
      "%",
      setup.model.name, name_of(setup.precision), setup.text(), schedule_of(setup),
      100 * calibration.sustained, part(std::max(idle, 0.0), iteration.time),
      part(iteration.exposed_layers, iteration.time), part(iteration.exposed_data, iteration.time));
  if (!setup.assumptions.empty())
    answer.how += fmt::format("; assumed: {}", fmt::join(setup.assumptions, ", "));
  if (!calibration.other.empty()) answer.how += "; part of the peak as of " + calibration.other;
  return answer;
}

}  // namespace

RowKind training_rows() {
  return {"training", is_training,
          [](const ValidationRow& row) { return std::string(framework_of(row).group); }, check_unit,
          answer_of};
}

}  // namespace wafertlm::validate
