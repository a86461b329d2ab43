// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/cores/transformer_layer.h"

namespace wafertlm::cores {

// Training with streamed weights: activations stay on a rectangle of cores, tokens over its rows and hidden
// over its columns. A weight matrix comes in by multicast along columns, tile by tile, while activations
// shift along rows; gradients of weights are added up along columns and leave. Inputs of layers are kept,
// what is between is computed again in the backward pass. Sequences lie over rows of their own: attention
// takes as many steps.

/// Tokens of a row of cores that fit, at most a sequence; 0: none do.
std::uint32_t tokens_per_row(const Rectangle& on, const DecoderShape& shape, std::uint64_t sequence);
/// A layer's forward pass, the same again, and its backward pass.
Kernel training_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t sequence,
                      std::uint32_t tokens);
/// The head's passes.
Kernel training_head(const Rectangle& on, const DecoderShape& shape, std::uint32_t tokens);

}  // namespace wafertlm::cores
