// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "platform/commands/precision/number_format.h"
#include "workloads/models/layer.h"

namespace wafertlm::precision {

/// A format for each class of tensors.
struct Formats {
  NumberFormat weights = NumberFormat::fp32, activations = NumberFormat::fp32,
               gradients = NumberFormat::fp32,  ///< of activations and of weights
      optimizer = NumberFormat::fp32,  ///< two moments, and a master copy of weights stored in another format
      wire = NumberFormat::fp32;       ///< gradients of weights between ranks
  Scaling scaling;                     ///< of all scaled tensors
};

/// What computes, in plain numbers per second.
struct Machine {
  Peaks peaks;
  double vector_rate = 1;       ///< operations that are no matrix product: quantising, the optimizer
  double memory_bandwidth = 1;  ///< bytes
  double link_bandwidth = 1;    ///< bytes; of an all-reduce of the gradients
  std::uint32_t ranks = 1;      ///< data parallel
};

enum class Pass : std::uint8_t { inference, training };

/// Bytes by class.
struct ClassBytes {
  std::uint64_t weights = 0, activations = 0, gradients = 0, optimizer = 0;
  std::uint64_t total() const { return weights + activations + gradients + optimizer; }
};

struct StepCost {
  double time_s = 0;                               ///< layers one after the other, and the all-reduce
  double compute_s = 0, memory_s = 0, wire_s = 0;  ///< sums of the parts; a layer takes the longer of two
  double matrix_operations = 0;
  double scale_operations = 0;   ///< quantise and dequantise
  ClassBytes memory;             ///< that must be there at a time
  ClassBytes traffic;            ///< moved to and from memory in a step
  std::uint64_t wire_bytes = 0;  ///< that a rank sends
};

/// A step of `batch` samples. A pass of a layer takes max(products / peak + other operations / vector rate,
/// bytes / bandwidth). Ours, consistent with mixed-precision training:
/// - Forward: weights and inputs are read, outputs written. The accumulators of two scaled operands are
///   dequantised, one operation per output; a scaled operand beside one without scale is dequantised element
///   by element. Outputs of a scaled format are quantised; a dynamic scale writes them in FP32 and reads them
///   again first.
/// - Backward (training): the product for the input gradient reads weights and output gradients, that for the
///   weight gradient inputs and output gradients; results are gradients, quantised as above.
/// - Update: gradients are read, two moments and, where the weights' format is not the optimizer's, a master
///   copy are read and written, weights written (and quantised): 10 operations per parameter.
/// - All-reduce: 2 (p − 1) / p of the gradients in the wire's format, quantised before and dequantised after
///   it if the wire's format is another one than the gradients'.
/// - Memory: weights; inference: the largest input and output of a layer together; training: all layers'
///   inputs, gradients of all weights, optimizer.
/// @throws std::invalid_argument: a format that nothing computes, a rate or batch of 0.
StepCost step_cost(const model::Model& model, const Formats& formats, const Machine& machine, Pass pass,
                   std::uint64_t batch);

}  // namespace wafertlm::precision
