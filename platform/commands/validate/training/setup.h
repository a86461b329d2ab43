// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/validate/training/chips.h"
#include "platform/commands/validate/training/frameworks.h"
#include "platform/commands/validate/training/model_shapes.h"

namespace wafertlm::validate::steps {

/// A training job as a row and its framework's defaults say.
struct JobSetup {
  Chip chip;
  Framework framework;
  Precision precision = Precision::bf16;
  ModelShape model;
  std::uint64_t ranks = 1, tensor = 1, pipeline = 1, context = 1, expert = 1, data = 1;
  std::uint64_t chunks = 1;  ///< per stage (interleaved 1F1B), if the stages have more than one
  std::uint64_t sequence = 0, micro_batch = 1, microbatches = 1;
  double samples = 0;  ///< of a step, of all ranks
  bool is_sharded = false, is_balanced = true;
  std::uint64_t slices = 1;              ///< of a TPU job: joined by the data centre's network
  std::vector<std::string> assumptions;  ///< taken from the framework or a recipe, not from the row

  double tokens() const { return samples * static_cast<double>(sequence); }
  /// Of a rank and micro-batch.
  double tokens_of_rank() const {
    return static_cast<double>(micro_batch * sequence) / static_cast<double>(context);
  }
  /// Bytes of an element of a matrix that is multiplied.
  double element_bytes() const { return precision == Precision::bf16 ? 2 : 1; }
  std::string text() const;  ///< "TP8 PP8 CP2 DP4"
};

/// @throws CannotSay: chip, model, ranks or batch are not to be found, or do not fit each other.
JobSetup setup_of(const ValidationRow& row);
/// BF16 if nothing is said.
Precision precision_of(const ValidationRow& row);
const char* name_of(Precision precision);

}  // namespace wafertlm::validate::steps
