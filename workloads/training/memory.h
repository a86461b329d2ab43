// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "workloads/training/plan.h"

namespace wafertlm::training {

/// Bytes that a rank needs in its memory at the same time, by part.
struct MemoryNeed {
  std::uint64_t parameters = 0;
  std::uint64_t gradients = 0;
  std::uint64_t optimizer = 0;
  std::uint64_t activations = 0;  ///< kept for backward passes, at their most
  /// ZeRO-3, offloaded weights: parameters while they are in use. TensorParallelism::two_d: slices of
  /// activations; streams: the part of a matrix that comes in beside the one in use.
  std::uint64_t gathered = 0;
  /// Chunks of weights on their way in (all of a chunk with WeightDelivery::broadcast), of gradients on their
  /// way out, and samples.
  std::uint64_t streaming = 0;

  std::uint64_t offloaded = 0;  ///< in the remote memory; not in total()

  std::uint64_t total() const {
    return parameters + gradients + optimizer + activations + gathered + streaming;
  }
};

/// Activations that a pass of one microbatch leaves on a rank of a stage with one chunk, in bytes.
std::uint64_t kept_of_a_microbatch(const Plan& plan, std::uint32_t stage);

/// Of `rank`, exact for the order of its passes. Who holds what: holding.h; streamed weights need `streaming`
/// in place of parameters, gradients and optimizer. Activations as in Korthikanti et al. 2022: full
/// recomputation keeps the input of every block, and one block's activations while it is recomputed. What is
/// offloaded leaves buffers: two portions of the optimizer's, two buckets of gradients (those of tied
/// embeddings stay until two stages have summed them), weights while they are in use. Lent activations count
/// where they are.
MemoryNeed memory_need(const Plan& plan, std::uint32_t rank);

}  // namespace wafertlm::training
