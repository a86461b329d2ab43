// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/layer_time.h"

#include <algorithm>
#include <cmath>

namespace wafertlm::validate::steps {
namespace {

/// Of the memory's data sheet rate, what a triad gets (0.83 on an A100, 0.86 on an H200; Azure's
/// AI-benchmarking-guide).
constexpr double kMemoryPart = 0.85;
constexpr double kElementBytes = 2;
/// Bytes that backward passes of elementwise operations move, relative to forward: a gated activation reads
/// and writes 3 elements and 5, a norm 2 and 3.
constexpr double kBackward = 1.6;
/// MaxText's tiles of grouped products (megablox), and rows of a GPU's.
struct Tile {
  double m, n, k;
};
constexpr Tile kTpuTile = {512, 1024, 1024};
constexpr double kGpuTile = 128;
/// What whole tiles compute of a dimension, relative to it.
double filled_tiles(double size, double tile) {
  tile = std::min(size, tile);
  return std::ceil(size / tile) * tile / size;
}
constexpr double kAttentionRamp = 650;  // tokens

}  // namespace

PassTime& PassTime::operator+=(const PassTime& other) {
  forward += other.forward;
  backward += other.backward;
  exposed_tensor += other.exposed_tensor;
  exposed_context += other.exposed_context;
  exposed_experts += other.exposed_experts;
  return *this;
}
PassTime operator*(PassTime time, double factor) {
  for (double* each :
       {&time.forward, &time.backward, &time.exposed_tensor, &time.exposed_context, &time.exposed_experts})
    *each *= factor;
  return time;
}

double group_rate(const Chip& chip, std::uint64_t members, std::uint64_t stride) {
  if (members * stride <= chip.domain) return chip.scale_up;
  const auto beside = static_cast<double>(std::max<std::uint64_t>(chip.domain / stride, 1));
  return std::min(chip.scale_up, beside * chip.scale_out);
}

double ring_block_time(const JobSetup& setup) {
  const ModelShape& model = setup.model;
  const auto kv_heads = static_cast<double>(std::max<std::uint64_t>(model.kv_heads / setup.tensor, 1));
  const double bytes =
      2 * setup.tokens_of_rank() * kv_heads * static_cast<double>(model.head) * kElementBytes;
  return bytes / group_rate(setup.chip, setup.context, setup.tensor);
}

double exchange_time(const JobSetup& setup) {
  if (setup.expert == 1) return 0;
  const std::uint64_t beside = std::min(setup.expert, setup.chip.domain);
  const double nodes = static_cast<double>(setup.expert) / static_cast<double>(beside);
  const auto copies = static_cast<double>(setup.model.experts.per_token);
  const double token = static_cast<double>(setup.model.hidden) * kElementBytes;
  const double tokens = setup.tokens_of_rank() / static_cast<double>(setup.tensor);
  const auto peers = static_cast<double>(beside);
  const double inside = tokens * copies * token * (peers - 1) / peers / setup.chip.scale_up;
  const double others = (nodes - 1) * (1 - std::pow(1 - 1 / nodes, copies));
  return std::max(inside, tokens * others * token / setup.chip.scale_out);
}

LayerTime::LayerTime(const JobSetup& setup, double sustained)
    : setup_(setup),
      rate_(sustained * setup.chip.peak(setup.precision)),
      head_rate_(sustained * setup.chip.bf16),
      memory_(kMemoryPart * setup.chip.memory),
      tokens_(setup.tokens_of_rank()),
      tensor_(static_cast<double>(setup.tensor)),
      hidden_(static_cast<double>(setup.model.hidden)) {
  const Chip& chip = setup.chip;
  // FlashAttention-2 on Hopper (arXiv 2407.08608, figures 5 and 6).
  const bool is_older = setup.framework.has_older_attention && chip.attention_forward > 0.6;
  attention_forward_ = is_older ? 0.37 * chip.bf16 : chip.attention_forward * chip.bf16;
  attention_backward_ = is_older ? 0.33 * chip.bf16 : chip.attention_backward * chip.bf16;
  if (chip.attention_forward == 0) attention_forward_ = attention_backward_ = head_rate_;
}

/// A GPU's tile is written when it is done, which nothing hides; a TPU writes beside the next one.
double LayerTime::product(const Product& of, double output_bytes) const {
  const double m = of.m, n = of.n, k = of.k;
  double operations = 2 * m * n * k;
  double in = ((m * k + k * n) * setup_.element_bytes()) / memory_;
  if (of.is_grouped) {
    // Groups end within tiles: the tile of a boundary is computed for both.
    const bool is_tpu = setup_.chip.is_tpu;
    const double rows = is_tpu ? kTpuTile.m * static_cast<double>(setup_.chip.devices) : kGpuTile;
    operations *= 1 + (is_tpu ? 1 : 0.5) * rows / std::max(m, rows);
    if (is_tpu) {
      operations *= filled_tiles(n, kTpuTile.n) * filled_tiles(k, kTpuTile.k);
      const double tile = 2 * kTpuTile.m * kTpuTile.n * kTpuTile.k;
      const double bytes = (kTpuTile.m + kTpuTile.n) * kTpuTile.k * setup_.element_bytes();
      in = operations * bytes / tile / memory_;
    }
  }
  const double out = m * n * output_bytes / memory_;
  const double compute = operations / rate_;
  return of.count * (setup_.chip.is_tpu ? std::max({compute, in, out}) : std::max(compute, in) + out);
}

double LayerTime::add(PassTime& time, const Product& of, bool is_recomputed) const {
  const double forward = product(of, kElementBytes);
  // Gradients of weights are added to those of earlier micro-batches.
  const double sums = setup_.is_sharded ? kElementBytes : 2 * setup_.framework.gradient_bytes;
  const double inputs = product({of.m, of.k, of.n, of.count, of.is_grouped}, kElementBytes);
  double weights = product({of.n, of.k, of.m, of.count, false}, sums);
  if (of.is_grouped) weights = std::max(weights, product(of, 0));
  time.forward += forward;
  time.backward += inputs + weights + (is_recomputed ? setup_.framework.recomputed.part * forward : 0);
  return forward;
}

PassTime LayerTime::elementwise(double elements, double cast_elements) const {
  const bool is_fused = setup_.framework.is_fused;
  const double casts = setup_.precision == Precision::bf16 ? 0 : cast_elements * (is_fused ? 2 : 4);
  const double forward = tokens_ / tensor_ * (elements * kElementBytes + casts) / memory_;
  PassTime time;
  time.forward = forward;
  time.backward = kBackward * forward + (setup_.framework.recomputed.elementwise ? forward : 0);
  return time;
}

/// Sequence-parallel tensor parallelism: an all-gather before and a reduce-scatter behind two products, and
/// the other way round in the backward pass.
void LayerTime::communicate(PassTime& time, double gather_beside, double scatter_beside) const {
  if (setup_.tensor == 1) return;
  const double rest = (tensor_ - 1) / tensor_;
  const double one = rest * tokens_ * hidden_ * kElementBytes / group_rate(setup_.chip, setup_.tensor, 1);
  double exposed = 0;
  for (const double beside : {gather_beside, scatter_beside})
    exposed += setup_.framework.tensor_overlap == TensorOverlap::pipelined
                   ? std::max(one / tensor_, one - rest * beside)
                   : one;
  const bool again = setup_.framework.recomputed.elementwise && setup_.framework.recomputed.output;
  time.forward += exposed;
  time.backward += again ? 2 * exposed : exposed;
  time.exposed_tensor += again ? 3 * exposed : 2 * exposed;
}

PassTime LayerTime::attention() const {
  const ModelShape& model = setup_.model;
  const Latent& latent = model.latent;
  const Recomputed& recomputed = setup_.framework.recomputed;
  const auto query = static_cast<double>(model.query_width()) / tensor_;
  const auto value = static_cast<double>(model.value_width()) / tensor_;
  const auto kv =
      static_cast<double>(std::max<std::uint64_t>(model.kv_heads / setup_.tensor, 1) * model.head);
  PassTime time;
  double inputs = 0;
  const auto input = [&](double n, double k) {
    inputs += add(time, {tokens_, n, k}, recomputed.query_key_value);
  };
  if (latent.query_rank == 0) {
    input(query + 2 * kv, hidden_);
  } else {
    input(static_cast<double>(latent.query_rank + latent.value_rank + latent.rotary), hidden_);
    input(query, static_cast<double>(latent.query_rank));
    input(static_cast<double>(model.heads * (latent.plain + latent.value)) / tensor_,
          static_cast<double>(latent.value_rank));
  }
  const double output = add(time, {tokens_, hidden_, value}, recomputed.output);

  const auto ranks = static_cast<double>(setup_.context);
  const double uneven = setup_.is_balanced ? 1 : (2 * ranks - 1) / ranks;
  // The products of a head fill a systolic array by rows: 128 of 256 leave half of it idle.
  const auto filled = [&](double width) {
    const double head = width / static_cast<double>(model.heads),
                 unit = static_cast<double>(setup_.chip.matrix_unit);
    return width * std::ceil(head * tensor_ / unit) * unit / (head * tensor_);
  };
  const double half = static_cast<double>(setup_.sequence) / 2;
  // Of their rates kernels reach less on short sequences (arXiv 2407.08608, figures 5 and 6).
  const double ramp = setup_.chip.is_tpu ? 1 : 1 + kAttentionRamp / static_cast<double>(setup_.sequence);
  const double operations = 2 * tokens_ * half * (filled(query) + filled(value)) * uneven * ramp;
  const double forward = operations / attention_forward_, backward = 2.5 * operations / attention_backward_;
  const double again = recomputed.attention ? forward : 0;
  time.forward += forward;
  time.backward += backward + again;
  if (setup_.context > 1) {
    const double block = ring_block_time(setup_);
    const double hidden_forward = std::max(0.0, block - forward / ranks) * (ranks - 1);
    const double hidden_backward = std::max(0.0, 2 * block - backward / ranks) * (ranks - 1);
    time.forward += hidden_forward;
    time.backward += hidden_backward;
    time.exposed_context += hidden_forward + hidden_backward;
  }
  communicate(time, inputs, output);
  const double rotary = model.gated ? 2 * (query + kv) * tensor_ : 0;
  time += elementwise((setup_.framework.is_fused ? 4 : 5) * hidden_ + rotary, hidden_ + value * tensor_);
  return time;
}

PassTime LayerTime::plain() const {
  const ModelShape& model = setup_.model;
  const Recomputed& recomputed = setup_.framework.recomputed;
  const auto inner = static_cast<double>(model.mlp_hidden);
  PassTime time = attention();
  const double in =
      add(time, {tokens_, inner / tensor_, hidden_, model.gated ? 2.0 : 1.0}, recomputed.mlp_in);
  const double out = add(time, {tokens_, hidden_, inner / tensor_}, recomputed.mlp_out);
  communicate(time, in, out);
  time += elementwise((setup_.framework.is_fused ? 4 : 5) * hidden_ + (model.gated ? 3 : 2) * inner,
                      hidden_ + inner);
  return time;
}

PassTime LayerTime::mixture() const {
  const ModelShape& model = setup_.model;
  const Recomputed& recomputed = setup_.framework.recomputed;
  const auto copies = static_cast<double>(model.experts.per_token);
  const auto inner = static_cast<double>(model.experts.hidden);
  const auto shared = static_cast<double>(model.experts.shared_hidden);
  const double gates = model.gated ? 2 : 1;
  // Of a rank the experts, and the tokens that come to them: with equal load as many as it sends.
  const double experts =
      std::max(static_cast<double>(model.experts.count) / static_cast<double>(setup_.expert), 1.0);
  const double each = tokens_ / tensor_ * copies / experts;
  PassTime time = attention();
  add(time, {each, inner, hidden_, gates * experts, true}, recomputed.mlp_in);
  add(time, {each, hidden_, inner, experts, true}, recomputed.mlp_out);
  if (shared > 0) {
    add(time, {tokens_, shared / tensor_, hidden_, gates}, recomputed.mlp_in);
    add(time, {tokens_, hidden_, shared / tensor_}, recomputed.mlp_out);
  }
  // Sorting by expert and back: a copy of every token's elements is read and written.
  const double sorting = 4 * copies * hidden_;
  time += elementwise((setup_.framework.is_fused ? 4 : 5) * hidden_ + sorting +
                          (model.gated ? 3 : 2) * (copies * inner + shared),
                      copies * (hidden_ + inner) + hidden_ + shared);
  if (!setup_.framework.overlaps_exchanges) {
    const double exchange = 2 * exchange_time(setup_);
    time.forward += exchange;
    time.backward += exchange;
    time.exposed_experts += 2 * exchange;
  }
  return time;
}

/// In BF16, as frameworks leave it; the loss works on logits in FP32.
PassTime LayerTime::head() const {
  const auto vocabulary = static_cast<double>(setup_.model.vocabulary) / tensor_;
  const double forward = 2 * tokens_ * vocabulary * hidden_ / head_rate_;
  const double bytes = tokens_ * vocabulary / memory_;
  PassTime time;
  time.forward = forward + (setup_.framework.is_fused ? 8 : 22) * bytes;
  time.backward = 2 * forward + (setup_.framework.is_fused ? 4 : 10) * bytes;
  return time;
}

}  // namespace wafertlm::validate::steps
