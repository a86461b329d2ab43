// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/transformer_layer.h"

namespace wafertlm::cores {
namespace {

/// Functions of one number: an exponential and a division of SiLU; a root and a division of a norm.
constexpr Cycle kActivation = 2, kNorm = 2;

/// A core's part of a layer, and the costs of its instructions.
struct Parts {
  const Rectangle& on;
  std::uint32_t hidden, tokens, mlp;

  Cycle vectors(Cycle count, std::uint64_t elements) const {
    return count * vector_cycles(on.core, elements);
  }
  Cycle functions(Cycle count) const { return count * on.core.function; }
  Cycle step() const { return on.core.step_overhead; }
};

/// Shifts the newest key and value to the next row, one place of a line to the one before.
void add_cache_shift(Kernel& kernel, const Parts& of) {
  auto line = std::make_shared<CoreProgram>(of.on.rows, 1);
  const std::uint32_t wavelets = wavelets_of(2 * std::uint64_t{of.hidden});
  for (std::uint32_t place = 1; place < of.on.rows; ++place) {
    const RouteIndex out = line->route(place, place - 1);
    line->send(place, out, wavelets);
    line->store(place - 1, out, wavelets);
  }
  KernelPhase phase;
  phase.name = "cache shift";
  phase.kind = KernelPhase::Kind::along_columns;
  phase.compute = of.step();
  phase.least = wavelets;
  phase.line = std::move(line);
  kernel.phases.push_back(std::move(phase));
}

void add_decode_norm(Kernel& kernel, const Parts& of) {
  add_compute(kernel, "norm", of.step() + of.vectors(2, of.hidden));
  add_all_reduce(kernel, of.on, "all-reduce", Along::columns, 1);
  add_compute(kernel, "norm", of.vectors(2, of.hidden) + of.functions(kNorm));
}

void add_prefill_norm(Kernel& kernel, const Parts& of) {
  add_compute(
      kernel, "norm",
      of.step() + of.vectors(1, std::uint64_t{of.tokens} * of.hidden) + of.vectors(of.hidden, of.tokens));
  add_all_reduce(kernel, of.on, "all-reduce", Along::rows, of.tokens);
  add_compute(kernel, "norm", of.functions(kNorm * of.tokens) + of.vectors(2 * of.hidden, of.tokens));
}

/// Of the layer's weights.
std::uint64_t layer_bytes(const Parts& of) {
  const std::uint64_t hidden = of.hidden, mlp = of.mlp;
  return kElementBytes * (4 * hidden * hidden + 3 * hidden * mlp);
}

}  // namespace

Kernel prefill_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t tokens) {
  const Parts of{on, share(shape.hidden, on.columns), share(tokens, on.rows), share(shape.mlp, on.columns)};
  const std::uint32_t d = of.hidden, s = of.tokens, f = of.mlp;
  const std::uint64_t scores = std::uint64_t{s} * s;
  Kernel kernel;
  add_prefill_norm(kernel, of);
  add_gemm(kernel, on, "queries, keys, values", {s, d, d}, true);
  // The normalized tokens stay aligned.
  for (int k = 0; k < 2; ++k) add_gemm(kernel, on, "queries, keys, values", {s, d, d}, false);
  add_compute(kernel, "rotary", 2 * (of.step() + of.vectors(6 * Cycle{d / 2}, s)));
  add_transposed_gemm(kernel, on, "scores", {s, d, s});
  add_compute(kernel, "softmax", of.step() + of.vectors(1, scores) + of.vectors(s, s));
  add_all_reduce(kernel, on, "all-reduce", Along::rows, s);
  add_compute(kernel, "softmax", of.vectors(2 * Cycle{s}, s) + of.functions(scores));
  add_all_reduce(kernel, on, "all-reduce", Along::rows, s);
  add_compute(kernel, "softmax", of.functions(s) + of.vectors(s, s));
  add_gemm(kernel, on, "attention", {s, s, d}, true);
  add_gemm(kernel, on, "attention output", {s, d, d}, true);
  add_compute(kernel, "residual", of.step() + of.vectors(1, std::uint64_t{s} * d));
  add_prefill_norm(kernel, of);
  add_gemm(kernel, on, "up, gate", {s, d, f}, true);
  add_gemm(kernel, on, "up, gate", {s, d, f}, false);
  add_compute(kernel, "activation",
              of.step() + of.functions(kActivation * s * f) + of.vectors(1, std::uint64_t{s} * f));
  add_gemm(kernel, on, "down", {s, f, d}, true);
  add_compute(kernel, "residual", of.step() + of.vectors(1, std::uint64_t{s} * d));
  // Tiles in passing have a second place, the widest of them.
  kernel.core_bytes = layer_bytes(of) + kElementBytes * (6 * std::uint64_t{s} * d + 2 * scores +
                                                         4 * std::uint64_t{s} * f + std::uint64_t{d} * f);
  return kernel;
}

Kernel decode_layer(const Rectangle& on, const DecoderShape& shape, std::uint64_t context) {
  const Parts of{on, share(shape.hidden, on.columns), share(context, on.rows), share(shape.mlp, on.columns)};
  const std::uint32_t d = of.hidden, s = of.tokens, f = of.mlp;
  Kernel kernel;
  add_decode_norm(kernel, of);
  for (int k = 0; k < 3; ++k) add_partial_gemv(kernel, on, "queries, keys, values", d, d);
  add_all_reduce(kernel, on, "all-reduce", Along::columns, 3 * std::uint64_t{d});
  add_compute(kernel, "rotary", 2 * (of.step() + of.vectors(6, d / 2)));
  add_cache_shift(kernel, of);
  add_partial_gemv(kernel, on, "scores", d, s);
  add_all_reduce(kernel, on, "all-reduce", Along::rows, s);
  add_compute(kernel, "softmax", of.step() + of.vectors(2, s));
  add_all_reduce(kernel, on, "all-reduce", Along::columns, 1);
  add_compute(kernel, "softmax", of.vectors(2, s) + of.functions(s));
  add_all_reduce(kernel, on, "all-reduce", Along::columns, 1);
  add_compute(kernel, "softmax", of.functions(1) + of.vectors(1, s));
  add_partial_gemv(kernel, on, "attention", s, d);
  add_all_reduce(kernel, on, "all-reduce", Along::columns, d);
  add_partial_gemv(kernel, on, "attention output", d, d);
  add_all_reduce(kernel, on, "all-reduce", Along::rows, d);
  add_compute(kernel, "residual", of.step() + of.vectors(1, d));
  add_decode_norm(kernel, of);
  for (int k = 0; k < 2; ++k) add_partial_gemv(kernel, on, "up, gate", d, f);
  add_all_reduce(kernel, on, "all-reduce", Along::columns, 2 * std::uint64_t{f});
  add_compute(kernel, "activation", of.step() + of.functions(kActivation * f) + of.vectors(1, f));
  add_partial_gemv(kernel, on, "down", f, d);
  add_all_reduce(kernel, on, "all-reduce", Along::rows, d);
  add_compute(kernel, "residual", of.step() + of.vectors(1, d));
  kernel.core_bytes = layer_bytes(of) + kElementBytes * (2 * std::uint64_t{d} * s + 6 * std::uint64_t{d} +
                                                         2 * s + 3 * std::uint64_t{f});
  return kernel;
}

}  // namespace wafertlm::cores
