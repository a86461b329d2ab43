// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/memory.h"

#include <algorithm>

#include "workloads/training/pipeline.h"

namespace wafertlm::training {
namespace {

using model::Recompute;

/// What a microbatch leaves of a layer.
std::uint64_t kept_bytes(const Plan& plan, const Piece& piece, Recompute recompute) {
  const Strategy& strategy = plan.strategy();
  const model::KeptActivations& kept = piece.layer->kept;
  const std::uint64_t element = strategy.element_bytes;
  std::uint64_t split = element * kept.split_elements;
  if (recompute == Recompute::none) split += element * kept.score_elements + kept.score_mask_bytes;
  const std::uint64_t shared = element * kept.shared_elements + kept.shared_mask_bytes;
  const std::uint64_t samples = strategy.samples_per_microbatch();
  const Fraction divided = plan.is_split(*piece.layer) ? piece.share / strategy.degrees.mp : piece.share;
  return divided.of(split, samples) +
         (strategy.sequence_parallel ? divided : piece.share).of(shared, samples);
}

struct ChunkNeed {
  std::uint64_t kept = 0;          // per microbatch
  std::uint64_t recomputed = 0;    // of the largest unit
  std::uint64_t parameters = 0;    // bytes, without ZeRO
  std::uint64_t largest_unit = 0;  // of them
};

ChunkNeed chunk_need(const Plan& plan, std::uint32_t stage, std::uint32_t chunk) {
  const Strategy& strategy = plan.strategy();
  const bool full = strategy.recompute == Recompute::full;
  ChunkNeed need;
  std::uint64_t unit_kept = 0, unit_parameters = 0;
  std::uint32_t unit = 0;
  bool is_first_of_unit = true;
  for (const Piece& piece : plan.pieces(stage, chunk)) {
    if (piece.unit != unit) {
      unit_kept = unit_parameters = 0;
      is_first_of_unit = true;
    }
    unit = piece.unit;
    unit_parameters += (plan.parameters(piece) + plan.expert_parameters(piece)) * strategy.element_bytes;
    need.parameters += (plan.parameters(piece) + plan.expert_parameters(piece)) * strategy.element_bytes;
    need.largest_unit = std::max(need.largest_unit, unit_parameters);
    if (full && piece.of_a_block) {
      unit_kept += kept_bytes(plan, piece, Recompute::none);
      need.recomputed = std::max(need.recomputed, unit_kept);
      const Fraction share = strategy.sequence_parallel ? piece.share / strategy.degrees.mp : piece.share;
      if (is_first_of_unit)
        need.kept +=
            share.of(piece.layer->input_elements * strategy.element_bytes, strategy.samples_per_microbatch());
    } else {
      need.kept += kept_bytes(plan, piece, strategy.recompute);
    }
    is_first_of_unit = false;
  }
  return need;
}

/// Chunks come and go: the largest of them counts, as often as there are buffers.
void add_streams(MemoryNeed& need, const Plan& plan, std::uint32_t stage) {
  const Strategy& strategy = plan.strategy();
  const bool broadcast = strategy.weight_delivery == WeightDelivery::broadcast;
  std::uint64_t weights = 0, gradients = 0, all_gradients = 0;
  for (std::uint32_t chunk = 0; chunk < strategy.chunks_per_stage; ++chunk) {
    const std::uint64_t held = plan.held_bytes(stage, chunk);
    weights = std::max(weights, broadcast ? plan.whole_bytes(stage, chunk) : held);
    gradients = std::max(gradients, held);
    all_gradients += held;
  }
  const std::uint64_t buffers = std::min(strategy.buffers(), strategy.chunks_per_stage);
  const bool keeps =
      strategy.gradient_store == GradientStore::last_load && strategy.weight_loads_per_pass > 1;
  need.streaming = buffers * weights + (keeps ? 0 : buffers * gradients);
  if (keeps) need.gradients = all_gradients;
}

}  // namespace

MemoryNeed memory_need(const Plan& plan, std::uint32_t rank) {
  const Strategy& strategy = plan.strategy();
  const std::uint32_t stage = plan.coordinates(rank).pp, chunks = strategy.chunks_per_stage;
  const std::uint64_t dp = strategy.degrees.dp;
  MemoryNeed need;
  std::vector<ChunkNeed> chunk(chunks);
  const auto share = [&](std::uint32_t from_stage, std::uint64_t copies) {
    return Fraction{1, strategy.zero_stage >= from_stage ? copies : 1};
  };
  std::uint64_t gathered_units = 0;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    chunk[c] = chunk_need(plan, stage, c);
    if (strategy.streams_weights()) continue;
    for (const Piece& piece : plan.pieces(stage, c)) {
      const auto add = [&](std::uint64_t parameters, std::uint64_t copies) {
        need.optimizer += share(1, copies).of(parameters, strategy.optimizer_bytes_per_parameter);
        need.gradients += share(2, copies).of(parameters, strategy.element_bytes);
        need.parameters += share(3, copies).of(parameters, strategy.element_bytes);
      };
      add(plan.parameters(piece), dp);
      add(plan.expert_parameters(piece), dp / strategy.expert_parallel);
    }
    // Gathered for the first of several microbatches and kept; else while in use, and the next unit's.
    gathered_units = std::max(gathered_units, 2 * chunk[c].largest_unit);
    if (strategy.microbatches > 1) need.gathered += chunk[c].parameters;
  }
  if (strategy.microbatches == 1) need.gathered = gathered_units;
  if ((strategy.zero_stage < 3 || dp == 1) && !strategy.offload.weights) need.gathered = 0;
  const auto offload = [&need](bool is_offloaded, std::uint64_t& part, std::uint64_t buffers) {
    if (!is_offloaded) return;
    need.offloaded += part;
    part = std::min(part, buffers);
  };
  offload(strategy.offload.weights, need.parameters, 0);
  offload(strategy.offload.gradients, need.gradients, 2 * strategy.bucket_bytes);
  offload(strategy.offload.optimizer, need.optimizer, 2 * strategy.offload_portion_bytes);

  if (strategy.streams_weights()) add_streams(need, plan, stage);
  if (strategy.input == Input::streamed && stage == 0)
    need.streaming += (strategy.overlap_input ? 2 : 1) * plan.input_bytes();

  std::uint64_t kept = 0;
  for (const Pass& pass : plan.passes(stage)) {
    const ChunkNeed& of = chunk[pass.chunk];
    if (pass.is_forward) kept += of.kept;
    need.activations = std::max(need.activations, kept + of.recomputed);
    if (!pass.is_forward) kept -= of.kept;
  }
  return need;
}

}  // namespace wafertlm::training
