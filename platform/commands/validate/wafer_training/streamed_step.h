// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/validate/training/model_shapes.h"
#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate::wafers {

/// A training step with streamed weights, as a row says it.
struct StreamedStep {
  std::string platform;  ///< preset of a wafer
  steps::ModelShape model;
  std::uint64_t sequence = 0;
  std::uint32_t wafers = 1;
  std::uint64_t samples = 0;  ///< of all wafers
  std::vector<std::string> assumptions;
  std::vector<std::string> changes;  ///< of the platform, as of `--set`

  std::uint64_t samples_of_wafer() const { return samples / wafers; }
};

/// Preset of the wafer that a row names. @throws CannotSay: none stands for it.
std::string platform_of(const ValidationRow& row);
/// A published shape by its name, in which dimensions that the text gives count: "L24 h1024 heads16 ffn4096
/// vocab30522". @throws CannotSay.
steps::ModelShape streamed_shape(const std::string& text);
/// @throws CannotSay: no wafer, model or batch, or wafers that do not divide the batch.
StreamedStep streamed_step_of(const ValidationRow& row);

}  // namespace wafertlm::validate::wafers
