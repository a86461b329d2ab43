// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/cores/kernels.h"

namespace wafertlm::cores {

/// A decoder of the LLaMA kind as WaferLLM (He et al., OSDI 2025) runs it: queries, keys and values as wide
/// as the hidden state, one softmax over all of it.
struct DecoderShape {
  std::uint32_t layers = 0;
  std::uint64_t hidden = 0, mlp = 0;
  std::uint64_t vocabulary = 0;  ///< of the head, in training; 0: without one
  bool gated = true;             ///< up, gate and down, or up and down
};

/// One layer for a whole prompt, tokens over the rows of a square of cores, hidden over its columns.
Kernel prefill_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t tokens);
/// One layer for the next token of one request, `context` tokens before it in the cache of keys and values,
/// whose rows shift by one so that all rows of cores hold as many.
Kernel decode_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t context);

}  // namespace wafertlm::cores
