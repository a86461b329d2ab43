// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "platform/commands/validate/wafer_training/streamed_step.h"
#include "platform/spec/experiment_spec.h"

namespace wafertlm::validate::wafers {

/// The experiment of one wafer; others are alike and share its streams, which SwarmX copies and adds up at
/// the rate of a wafer, with one more latency of a wafer's ports for every level of a tree of fan-out
/// kFanOut.
constexpr std::uint32_t kFanOut = 4;
std::uint32_t tree_levels(std::uint32_t wafers);

/// The preset llama2_7b_wse3 with the row's wafer and model, and microbatches as large as the memory of an
/// NPU has room for. A layer comes in at a time, or the largest part of it, down to a quarter, with which a
/// sample fits.
/// @throws CannotSay: not even a sample fits, and how much is missing.
config::ExperimentSpec experiment_of(const StreamedStep& step);

struct StreamedTime {
  double seconds = 0;
  std::map<std::string, double> breakdown;  ///< sums to `seconds`
};
/// Of an iteration with so many chunks and rounds, simulated.
StreamedTime simulated_part(config::ExperimentSpec experiment, std::uint32_t chunks, std::uint32_t rounds);
/// Of four parts of the step, which have few of its chunks and rounds: those are alike.
StreamedTime simulated_time(const config::ExperimentSpec& experiment);
/// Its operations at the sustained rate, or its weights twice per microbatch through the ports.
double closed_form_time(const config::ExperimentSpec& experiment);

}  // namespace wafertlm::validate::wafers
