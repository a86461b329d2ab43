// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "workloads/models/layer.h"

namespace wafertlm::model {

enum class Norm : std::uint8_t {
  layer,  ///< scale and shift
  rms,    ///< scale
};

/// A decoder-only transformer.
struct TransformerSpec {
  std::string name;
  std::uint64_t layers = 0, hidden = 0, heads = 0, sequence = 0, vocabulary = 0;
  std::uint64_t kv_heads = 0;    ///< grouped-query attention; 0: as many as heads
  std::uint64_t mlp_hidden = 0;  ///< 0: 4 · hidden
  bool gated_mlp = false;        ///< a second input matrix (SwiGLU)
  bool biases = true;
  Norm norm = Norm::layer;
  bool learned_positions = true;
  bool tied_embeddings = true;  ///< input and output share the matrix
  bool dropout = true;          ///< its masks are kept for the backward pass
  std::uint64_t experts = 0;    ///< in every moe_every-th layer's MLP; 0: a plain MLP
  std::uint64_t experts_per_token = 0;
  std::uint64_t moe_every = 1;
};

/// As layers: an embedding; per block an attention and an MLP (or a mixture of experts), each with the norm
/// before it; a head. Split for tensor parallelism as in Megatron-LM (Shoeybi et al. 2019): query, key, value
/// and the MLP's inputs by columns, the outputs by rows, the vocabulary of embedding and head.
///
/// Parameters with biases, layer norms, learned positions and tied embeddings: 12·l·h²·(1 + 13/(12h)) + (V +
/// s)·h + 2h. Operations are those of the matrix products, attention not halved for causality: forward
/// 24·s·l·h²·(1 + s/(6h)) + 2·s·h·V per sequence (Narayanan et al., SC 2021). Kept activations as in
/// Korthikanti et al. 2022, table 2: 34·s·h + 5·a·s² bytes per layer with 2-byte elements and dropout.
///
/// @throws std::invalid_argument naming what is 0 or does not divide, with the nearest values that do.
Model transformer(const TransformerSpec& spec);

}  // namespace wafertlm::model
