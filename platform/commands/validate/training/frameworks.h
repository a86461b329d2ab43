// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/commands/validate/training/chips.h"

namespace wafertlm::validate::steps {

/// What the backward pass computes once more of a layer's forward pass.
struct Recomputed {
  bool query_key_value = false, attention = false, output = false, mlp_in = false, mlp_out = false,
       elementwise = false;
  double part = 1;  ///< of the products
};
constexpr Recomputed kNothing = {};
constexpr Recomputed kAll = {true, true, true, true, true, true, 1};
/// XLA drops the last product: nothing of the backward pass reads it.
constexpr Recomputed kAllButLast = {true, true, true, true, false, true, 1};
/// torchtitan's selective option "op": every second product, and what is none.
constexpr Recomputed kEverySecond = {true, false, true, true, true, true, 0.5};

enum class TensorOverlap : std::uint8_t { none, pipelined };

/// What a framework does where a row does not say.
struct Framework {
  const char* group;  ///< benchmark
  const char* words;  ///< regular expression, of system and source
  Recomputed recomputed;
  TensorOverlap tensor_overlap;
  bool is_sharded;        ///< parameters are sharded over DP and gathered per layer (FSDP), but for pipelines
  double gradient_bytes;  ///< of an element in a reduce-scatter
  bool is_fused;          ///< by a compiler: chains of elementwise operations read and write once
  bool has_older_attention;  ///< FlashAttention-2 on Hopper
  bool overlaps_exchanges;   ///< all-to-alls of experts run beside another micro-batch
  bool counts_causal_half;   ///< in its model FLOPs
};
const Framework& framework_of(const ValidationRow& row);

/// A training recipe's facts that rows leave out.
struct Recipe {
  const char* chip;
  const char* model;
  std::uint64_t sequence;
  double batch_per_chip;  ///< 0: the row says it
  std::uint64_t tensor;
  Recomputed recomputed;
  std::uint64_t micro_batch = 0;  ///< 0: not said
};
/// `sequence` 0: any. Null: none.
const Recipe* recipe_of(const Chip& chip, const std::string& model, std::uint64_t sequence);

}  // namespace wafertlm::validate::steps
