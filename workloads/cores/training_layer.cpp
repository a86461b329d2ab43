// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/training_layer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace wafertlm::cores {
namespace {

/// A core's part: of the hidden state, of the MLP, and of a sequence's tokens over the columns, as scores
/// are.
struct Share {
  const Rectangle& on;
  std::uint32_t hidden, mlp, scores;
  std::uint32_t rows;  ///< of cores that a sequence lies over
  std::uint32_t tokens;
};

Share share_of(const Rectangle& on, const DecoderShape& shape, std::uint64_t sequence, std::uint32_t tokens) {
  return {on,
          share(shape.hidden, on.columns),
          share(shape.mlp, on.columns),
          share(sequence, on.columns),
          std::min(on.rows, share(sequence, tokens)),
          tokens};
}

struct Product {
  const char* name;
  std::uint32_t inner, outer;
  std::uint32_t count;
};

std::vector<Product> products_of(const Share& of, const DecoderShape& shape) {
  return {{"queries, keys, values, output", of.hidden, of.hidden, 4},
          {"up, gate", of.hidden, of.mlp, shape.gated ? 2U : 1U},
          {"down", of.mlp, of.hidden, 1}};
}

Cycle elementwise(const Share& of, bool gated) {
  const CoreParams& core = of.on.core;
  const std::uint64_t mlp = std::uint64_t{of.tokens} * of.mlp, hidden = std::uint64_t{of.tokens} * of.hidden;
  const std::uint64_t scores = std::uint64_t{of.tokens} * of.scores;
  // SiLU or GELU, and the gate; softmax; two norms and two residuals.
  return core.function * (2 * mlp + scores + 4 * std::uint64_t{of.tokens}) +
         (gated ? 2 : 1) * vector_cycles(core, mlp) + 4 * vector_cycles(core, scores) +
         8 * vector_cycles(core, hidden) + 8 * core.step_overhead;
}

void add_reductions(Kernel& kernel, const Share& of) {
  for (int k = 0; k < 4; ++k) add_all_reduce(kernel, of.on, "all-reduce", Along::rows, of.tokens);
}

/// Steps in which a tile of `shifted` wavelets goes one core on along rows and one of `streamed` comes in
/// along columns; a core takes in one wavelet of either in a cycle.
void add_steps(Kernel& kernel, const Share& of, const char* name, const GemmTile& tile, std::uint32_t steps,
               std::uint64_t shifted, std::uint64_t streamed, Cycle more = 0) {
  const Cycle wavelets = wavelets_of(shifted) + Cycle{wavelets_of(streamed)};
  KernelPhase phase;
  phase.name = name;
  phase.kind = KernelPhase::Kind::shift;
  phase.shift = {steps, std::max(tile_cycles(of.on.core, tile) + more, wavelets), wavelets_of(shifted), 0};
  phase.least = steps * std::max(least_tile_cycles(of.on.core, tile), wavelets);
  kernel.phases.push_back(std::move(phase));
  count_multiply_adds(kernel, of.on, tile, steps);
}

/// Activations times weights.
void add_product(Kernel& kernel, const Share& of, const char* name, std::uint32_t inner,
                 std::uint32_t outer) {
  add_steps(kernel, of, name, {of.tokens, inner, outer}, of.on.columns, std::uint64_t{of.tokens} * inner,
            std::uint64_t{inner} * outer);
}

/// Of queries and keys, and of what comes of them and values, a tile of which comes in along columns.
void add_attention(Kernel& kernel, const Share& of, const char* name) {
  const std::uint64_t scores = std::uint64_t{of.tokens} * of.tokens;
  add_transposed_gemm(kernel, of.on, name, {of.tokens, of.hidden, of.tokens}, of.rows);
  add_steps(kernel, of, name, {of.tokens, of.tokens, of.hidden}, of.rows, scores,
            std::uint64_t{of.tokens} * of.hidden);
}

void add_forward(Kernel& kernel, const Share& of, const DecoderShape& shape) {
  for (const Product& each : products_of(of, shape))
    for (std::uint32_t k = 0; k < each.count; ++k) add_product(kernel, of, each.name, each.inner, each.outer);
  add_attention(kernel, of, "attention");
  add_compute(kernel, "elementwise", elementwise(of, shape.gated));
  add_reductions(kernel, of);
}

/// Gradients of inputs, whose weights come in transposed, and of weights, which the cores of a column add up
/// on their way out.
void add_gradients(Kernel& kernel, const Share& of, const Product& product) {
  const std::uint64_t outer = std::uint64_t{of.tokens} * product.outer;
  const std::uint64_t weights = std::uint64_t{product.inner} * product.outer;
  for (std::uint32_t k = 0; k < product.count; ++k) {
    add_product(kernel, of, "gradients of inputs", product.outer, product.inner);
    add_steps(kernel, of, "gradients of weights",
              fastest_order(of.on.core, {product.inner, of.tokens, product.outer}), of.on.columns, outer,
              weights, wavelets_of(weights));
  }
}

void add_backward(Kernel& kernel, const Share& of, const DecoderShape& shape) {
  for (const Product& each : products_of(of, shape)) add_gradients(kernel, of, each);
  for (int k = 0; k < 2; ++k) add_attention(kernel, of, "attention, backward");
  add_compute(kernel, "elementwise", 2 * elementwise(of, shape.gated));
  add_reductions(kernel, of);
}

/// What a core holds: inputs of all layers; of one layer what lies between (norms, queries, keys, values,
/// their result, sums, what the MLP makes) and gradients of that; a tile that shifts, sent and received, and
/// sums of a product in FP32; scores of a step, twice; a weight tile that comes in, twice, and a gradient's
/// in FP32.
std::uint64_t bytes_of(const Share& of, const DecoderShape& shape) {
  const std::uint64_t hidden = of.hidden, mlp = of.mlp, tokens = of.tokens, widest = std::max(hidden, mlp);
  const std::uint64_t between = 12 * hidden + (shape.gated ? 6 : 4) * mlp + 2 * std::uint64_t{of.scores};
  return kElementBytes * (tokens * (shape.layers * hidden + between + 3 * widest) + 2 * tokens * tokens +
                          4 * widest * hidden);
}

}  // namespace

std::uint32_t tokens_per_row(const Rectangle& on, const DecoderShape& shape, std::uint64_t sequence) {
  const auto fits = [&](std::uint32_t tokens) {
    return bytes_of(share_of(on, shape, sequence, tokens), shape) <= data_bytes(on.core);
  };
  std::uint32_t tokens = 0;
  while (tokens < sequence && fits(tokens + 1)) ++tokens;
  return tokens;
}

Kernel training_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t sequence,
                      std::uint32_t tokens) {
  const Share of = share_of(on, shape, sequence, tokens);
  Kernel kernel;
  for (int k = 0; k < 2; ++k) add_forward(kernel, of, shape);
  add_backward(kernel, of, shape);
  kernel.core_bytes = bytes_of(of, shape);
  return kernel;
}

Kernel training_head(const Rectangle& on, const DecoderShape& shape, std::uint32_t tokens) {
  const Share of = share_of(on, shape, 1, tokens);
  const Product head{"head", of.hidden, share(shape.vocabulary, on.columns), 1};
  Kernel kernel;
  add_product(kernel, of, head.name, head.inner, head.outer);
  add_gradients(kernel, of, head);
  return kernel;
}

}  // namespace wafertlm::cores
