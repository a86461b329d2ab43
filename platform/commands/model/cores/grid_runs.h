// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cores/kernel_run.h"
#include "platform/spec/cores_spec.h"
#include "workloads/cores/grid_collective.h"
#include "workloads/cores/transformer_layer.h"

namespace wafertlm::core_runs {

using cores::Cycle;

/// A collective of a rectangle of cores, simulated; cycles.
struct CollectiveTime {
  std::string algorithm, what;
  Cycle cycles = 0, least = 0;
  std::optional<double> published;  ///< closed form of Luczynski et al.
  Cycle busiest_link = 0;           ///< wavelets over the link that carries most
  std::uint64_t simulated = 0;      ///< cores whose programs ran
};

/// @param whole runs every core. Else, of a rectangle, one row, one column and a path to its farthest core:
/// all rows do the same from the same start, and so do columns.
/// @throws std::invalid_argument: no such algorithm, or a rectangle larger than the wafer's.
CollectiveTime collective_time(const cores::GridCollective& what, const std::string& algorithm,
                               const config::CoresSpec& wafer, bool whole);

/// A kernel or a pass of a decoder on a rectangle of cores; cycles.
struct KernelTime {
  Cycle cycles = 0, least = 0;
  std::vector<cores::PhaseTime> phases;
  double multiply_adds = 0;
  double seconds = 0;
  double of_peak = 0;             ///< multiply-adds over lanes of all cores of the rectangle
  std::uint64_t core_bytes = 0;   ///< that a core holds of a layer, or of the kernel
  Cycle levelled = 0;             ///< see KernelRun
  std::uint32_t layers_held = 0;  ///< that the wafer has room for; of a decoder
};

/// @throws std::invalid_argument: a core would need more memory than it has, or the wafer is smaller.
KernelTime kernel_time(const cores::Kernel& kernel, const config::CoresSpec& wafer, std::uint32_t columns,
                       std::uint32_t rows);

enum class DecoderPass : std::uint8_t { prefill, decode };
/// All layers of a decoder, for `tokens` of a prompt, or the token behind so many.
KernelTime decoder_time(DecoderPass pass, const cores::DecoderShape& shape, std::uint64_t tokens,
                        const config::CoresSpec& wafer, std::uint32_t columns, std::uint32_t rows);

/// A pass of training over all cores of a wafer, its weights streamed.
struct TrainingTime {
  std::uint32_t tokens_per_row = 0;
  double sample_s = 0;  ///< of a sample of `sequence` tokens
  KernelTime layer;     ///< forward, once more, and back, of tokens_per_row tokens of each row
};
/// @throws std::invalid_argument: a core has no room for one token of each row.
TrainingTime training_time(const cores::DecoderShape& shape, std::uint64_t sequence,
                           const config::CoresSpec& wafer);

}  // namespace wafertlm::core_runs
