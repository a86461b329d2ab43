// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/memory.h"

#include <algorithm>

#include "workloads/training/lending.h"
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
  const Fraction samples = plan.samples();
  const Fraction divided = plan.is_split(*piece.layer) ? piece.share / strategy.degrees.mp : piece.share;
  return (divided * samples).of(split) +
         ((strategy.divides_activations() ? divided : piece.share) * samples).of(shared);
}

/// What a rank keeps of a block's input.
Fraction input_share(const Plan& plan, const Piece& piece) {
  const Strategy& strategy = plan.strategy();
  return strategy.divides_activations() ? piece.share / strategy.degrees.mp : piece.share;
}

struct ChunkNeed {
  std::uint64_t kept = 0;          // per microbatch
  std::uint64_t recomputed = 0;    // of the largest unit
  std::uint64_t fetched = 0;       // bytes of parameters that come in
  std::uint64_t largest_unit = 0;  // of them
};

ChunkNeed chunk_need(const Plan& plan, std::uint32_t stage, std::uint32_t chunk) {
  const Strategy& strategy = plan.strategy();
  const Recompute recompute = strategy.recompute_in(stage);
  const bool full = recompute == Recompute::full;
  ChunkNeed need;
  std::uint64_t unit_kept = 0, unit_fetched = 0;
  std::uint32_t unit = 0;
  bool is_first_of_unit = true;
  for (const Piece& piece : plan.pieces(stage, chunk)) {
    if (piece.unit != unit) {
      unit_kept = unit_fetched = 0;
      is_first_of_unit = true;
    }
    unit = piece.unit;
    std::uint64_t fetched = 0;
    for (const Kind kind : kKinds)
      if (fetches(strategy, kind)) fetched += plan.parameters(piece, kind) * strategy.element_bytes;
    need.fetched += fetched;
    unit_fetched += fetched;
    need.largest_unit = std::max(need.largest_unit, unit_fetched);
    if (full && piece.of_a_block) {
      unit_kept += kept_bytes(plan, piece, Recompute::none);
      need.recomputed = std::max(need.recomputed, unit_kept);
      if (is_first_of_unit)
        need.kept += (input_share(plan, piece) * plan.samples())
                         .of(piece.layer->input_elements * strategy.element_bytes);
    } else {
      need.kept += kept_bytes(plan, piece, recompute);
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

/// Parameters, gradients and optimizer: of the NPU and of the remote memory.
void add_states(MemoryNeed& need, const Plan& plan, std::uint32_t stage) {
  const Strategy& strategy = plan.strategy();
  const Offload& offload = strategy.offload;
  const std::uint64_t element = strategy.element_bytes, state = strategy.optimizer_bytes_per_parameter;
  std::uint64_t tied = 0;  // gradients
  for (std::uint32_t chunk = 0; chunk < strategy.chunks_per_stage; ++chunk)
    for (const Piece& piece : plan.pieces(stage, chunk))
      for (const Kind kind : kKinds) {
        const std::uint64_t updated = plan.held(piece, Part::updated, kind);
        need.parameters += offload.weights ? 0 : plan.held(piece, Part::parameters, kind) * element;
        (kind == Kind::tied ? tied : need.gradients) += plan.held(piece, Part::gradients, kind) * element;
        need.optimizer += updated * state;
        need.offloaded +=
            updated * (element * (offload.weights + offload.gradients) + state * offload.optimizer);
      }
  // What is offloaded leaves its buffers.
  if (offload.gradients) need.gradients = std::min(need.gradients, 2 * strategy.bucket_bytes);
  if (offload.optimizer) need.optimizer = std::min(need.optimizer, 2 * strategy.offload_portion_bytes);
  need.gradients += tied;
}

/// Parameters that come in: with several microbatches all of a chunk stay from the first to the last, with
/// one (or Gather::microbatch) a unit while it is in use, and with overlap the next ones.
std::uint64_t gathered_bytes(const Strategy& strategy, const std::vector<ChunkNeed>& chunks) {
  const std::uint64_t units = strategy.overlap_dp ? 1 + std::uint64_t{strategy.prefetch} : 1;
  std::uint64_t all = 0, most = 0;
  for (const ChunkNeed& chunk : chunks) {
    all += chunk.fetched;
    most = std::max(most, std::min(units * chunk.largest_unit, chunk.fetched));
  }
  return strategy.microbatches > 1 && strategy.gather == Gather::iteration ? all : most;
}

}  // namespace

std::uint64_t kept_of_a_microbatch(const Plan& plan, std::uint32_t stage) {
  return chunk_need(plan, stage, 0).kept;
}

MemoryNeed memory_need(const Plan& plan, std::uint32_t rank) {
  const Strategy& strategy = plan.strategy();
  const std::uint32_t stage = plan.coordinates(rank).pp;
  MemoryNeed need;
  std::vector<ChunkNeed> chunks;
  for (std::uint32_t chunk = 0; chunk < strategy.chunks_per_stage; ++chunk)
    chunks.push_back(chunk_need(plan, stage, chunk));
  need.gathered = gathered_bytes(strategy, chunks);
  std::uint64_t on_the_way = 0;
  for (std::uint32_t chunk = 0; chunk < strategy.chunks_per_stage; ++chunk)
    for (const Piece& piece : plan.pieces(stage, chunk))
      on_the_way = std::max(on_the_way, plan.tensor_buffer_bytes(piece));
  need.gathered += on_the_way;
  strategy.streams_weights() ? add_streams(need, plan, stage) : add_states(need, plan, stage);
  if (strategy.input == Input::streamed && stage == 0)
    need.streaming += (strategy.overlap_input ? 2 : 1) * plan.input_bytes();

  const std::vector<Pass> passes = plan.passes(stage);
  const std::vector<LendingStep> lending = lending_steps(plan, stage);
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    const ChunkNeed& of = chunks[pass.chunk];
    if (pass.is_forward) kept += of.kept;
    need.activations = std::max(need.activations, kept + of.recomputed);
    if (!pass.is_forward && pass.part != Pass::Part::inputs) kept -= of.kept;
    if (lending[i].leaves) kept -= of.kept;
    if (lending[i].returns) kept += of.kept;
  }
  if (const std::uint32_t borrowed = most_borrowed(plan, stage))
    need.activations += borrowed * kept_of_a_microbatch(plan, lending_partner(strategy.degrees.pp, stage));
  return need;
}

}  // namespace wafertlm::training
