// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "platform/run/job.h"
#include "platform/spec/experiment_spec.h"

namespace wafertlm {

/// What an iteration gets done, of what is simulated of it.
struct IterationWork {
  /// Arithmetic operations of all ranks: forward and backward pass of the model, without recomputation and
  /// optimizer, as model FLOPs utilisation (MFU) has it (Chowdhery et al. 2022, PaLM, appendix B). Of traces
  /// what their computations say (num_ops); none if one that takes time does not.
  std::optional<double> operations;
  std::optional<double> samples;  ///< none: traces do not tell, or only a part of the model is simulated
  std::optional<double> tokens;   ///< none: the same, or samples are no sequences of tokens
};

IterationWork iteration_work(const config::ExperimentSpec& experiment, const Job& job);

}  // namespace wafertlm
