// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/training/strategy.h"

namespace wafertlm::training {

/// A pass of one microbatch through one of the stage's chunks.
struct Pass {
  bool is_forward = true;
  std::uint32_t chunk =
      0;  ///< of the stage, from 0; chunk c of stage j is number c · stages + j of the model
  std::uint32_t microbatch = 0;
  /// Of a backward pass: both gradients, or one.
  enum class Part : std::uint8_t { all, inputs, weights };
  Part part = Part::all;

  bool operator==(const Pass& other) const {
    return is_forward == other.is_forward && chunk == other.chunk && microbatch == other.microbatch &&
           part == other.part;
  }
};

/// What stage `stage` of `stages` does in an iteration, in order. With equal stage times and free
/// communication the idle part of the iteration is (p − 1)/(m + p − 1) for GPipe and 1F1B, (p − 1)/(v·m + p −
/// 1) for v interleaved chunks (m a multiple of p) and for the resident loop (m >= p). With zero_bubble it
/// lasts (p − 1)·(F + B − W) for forward passes, input and weight gradients of these times and m >= p (1F1B:
/// (p − 1)·(F + B + W)), and p microbatches are kept until their weight gradients. `rounds`, of the resident
/// loop: the microbatches are cut into so many parts, each of which goes forward and back before the next
/// one.
/// @throws std::invalid_argument: several chunks with a schedule that has one; interleaved with microbatches
/// that are no multiple of the stages (with the nearest that are); rounds that do not divide the
/// microbatches.
std::vector<Pass> pipeline_order(Schedule schedule, std::uint32_t stages, std::uint32_t stage,
                                 std::uint32_t chunks_per_stage, std::uint32_t microbatches,
                                 std::uint32_t rounds = 1);

}  // namespace wafertlm::training
