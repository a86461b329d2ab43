// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/plan.h"

#include <fmt/core.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "tlm/kernel/units.h"

namespace wafertlm::training {

using model::Gemm;
using model::Layer;
using model::nearest_divisors;
using Cause = PlanError::Cause;

namespace {

template <typename Worker>
std::vector<std::uint32_t> members(std::uint32_t count, const Worker& worker) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(worker(i));
  return ranks;
}

std::string join(const char* kind, std::initializer_list<std::uint32_t> numbers) {
  std::string name = kind;
  for (const std::uint32_t number : numbers) name += fmt::format(".{}", number);
  return name;
}

}  // namespace

std::uint64_t Fraction::of(std::uint64_t whole, std::uint64_t times) const {
  const Uint128 product = Uint128{whole} * times;
  if (product >> 90 != 0) throw std::invalid_argument("a size does not fit 63 bits");
  const Uint128 result = (product * num + den - 1) / den;
  if (result >> 63 != 0) throw std::invalid_argument("a size does not fit 63 bits");
  return static_cast<std::uint64_t>(result);
}

Plan::Plan(model::Model model, const Strategy& strategy)
    : model_(std::move(model)), strategy_(strategy), all_chunks_per_stage_(strategy.chunks_per_stage) {
  if (model_.blocks.empty()) throw PlanError(Cause::model, "the model " + model_.name + " has no blocks");
  check_degrees();
  check_activations();
  check_streams();
  check_gathering();
  check_tensor_parallelism();
  check_recomputation();
  try {
    passes(0);
  } catch (const std::invalid_argument& error) {
    const bool one_chunk =
        strategy_.schedule != Schedule::interleaved && strategy_.schedule != Schedule::resident_loop;
    const std::uint32_t rounds = strategy_.weight_loads_per_pass;
    throw PlanError(one_chunk && strategy_.chunks_per_stage != 1          ? Cause::chunks
                    : rounds == 0 || strategy_.microbatches % rounds != 0 ? Cause::rounds
                                                                          : Cause::schedule,
                    error.what());
  }
  check_shortened();
  if (strategy_.is_a_part()) {
    const std::uint32_t of_a_round = strategy_.microbatches / strategy_.weight_loads_per_pass;
    const std::uint64_t of_a_microbatch = strategy_.minibatch / strategy_.microbatches;
    const std::uint32_t chunks = strategy_.chunks_to_simulate();
    strategy_.weight_loads_per_pass = strategy_.rounds_to_simulate();
    strategy_.chunks_per_stage = chunks;
    strategy_.microbatches = of_a_round * strategy_.weight_loads_per_pass;
    strategy_.minibatch = of_a_microbatch * strategy_.microbatches;
  }
  model::for_each_layer(model_, [&](const Layer& layer, bool) { check_split(layer); });
  for (std::uint32_t stage = 0; stage < strategy_.degrees.pp; ++stage)
    for (std::uint32_t chunk = 0; chunk < strategy_.chunks_per_stage; ++chunk) pieces(stage, chunk);
}

Fraction Plan::samples() const {
  const std::uint64_t replicas = std::uint64_t{strategy_.degrees.dp} * strategy_.microbatches;
  if (strategy_.minibatch % replicas == 0) return {strategy_.minibatch / replicas, 1};
  return {strategy_.minibatch, replicas};
}

bool Plan::is_split(const Layer& layer) const {
  if (strategy_.degrees.mp > 1 && strategy_.keeps_activations()) return true;
  if (strategy_.degrees.mp == 1 || (layer.holds_vocabulary && !strategy_.split_vocabulary)) return false;
  return layer.reduces_output || layer.reduces_input_gradient;
}

std::vector<Piece> Plan::pieces(std::uint32_t stage, std::uint32_t chunk) const {
  const std::uint32_t pp = strategy_.degrees.pp;
  const bool is_last_chunk = chunk + 1 == strategy_.chunks_per_stage;
  const std::uint64_t chunks = std::uint64_t{pp} * all_chunks_per_stage_, blocks = model_.blocks.size();
  const std::uint64_t number = std::uint64_t{is_last_chunk ? all_chunks_per_stage_ - 1 : chunk} * pp + stage;
  std::uint64_t first = number * blocks / chunks, end = (number + 1) * blocks / chunks;
  Fraction share;
  if (blocks % chunks != 0) {
    if (strategy_.uneven == Uneven::error)
      throw PlanError(Cause::degrees,
                      fmt::format("the {} blocks of {} do not divide by pp times chunks_per_stage, {}; "
                                  "values that do: {}; or use uneven: fractional",
                                  blocks, model_.name, chunks, nearest_divisors(blocks, chunks)));
    if (model_.has_equal_blocks) {  // every chunk has as many, of which it does a part
      const std::uint64_t held = (blocks + chunks - 1) / chunks;
      first = std::min(first, blocks - held);
      end = first + held;
      share = {blocks, chunks * held};
    }
  }
  std::vector<Piece> pieces;
  std::uint32_t unit = 0;
  const auto add = [&](const Layer& layer, const Fraction& part, bool of_a_block) {
    pieces.push_back({&layer, part, unit, of_a_block});
  };
  if (chunk == 0 && stage == 0)
    for (const Layer& layer : model_.first) add(layer, {}, false), ++unit;
  for (std::uint64_t b = first; b < end; ++b, ++unit)
    for (const Layer& layer : model_.blocks[b].layers) add(layer, share, true);
  if (number + 1 == chunks)
    for (const Layer& layer : model_.last) add(layer, {}, false), ++unit;
  return pieces;
}

std::uint64_t Plan::parameters(const Piece& piece, Kind kind) const {
  const Layer& layer = *piece.layer;
  const Fraction split = is_split(layer) ? piece.share / strategy_.degrees.mp : piece.share;
  if (kind == Kind::experts) return (split / strategy_.expert_parallel).of(layer.expert_parameters);
  if (kind == Kind::tied) return split.of(tied(layer));
  const Fraction& shared = strategy_.keeps_activations() ? split : piece.share;
  return split.of(untied(layer)) + shared.of(layer.shared_parameters);
}

std::uint64_t Plan::held(const Piece& piece, Part part, Kind kind) const {
  return Fraction{1, holders(strategy_, part, kind)}.of(parameters(piece, kind));
}

std::vector<Pass> Plan::passes(std::uint32_t stage) const {
  return pipeline_order(strategy_.schedule, strategy_.degrees.pp, stage, strategy_.chunks_per_stage,
                        strategy_.microbatches, strategy_.weight_loads_per_pass);
}

std::uint64_t Plan::held_bytes(std::uint32_t stage, std::uint32_t chunk) const {
  std::uint64_t held = 0;
  for (const Piece& piece : pieces(stage, chunk))
    for (const Kind kind : kKinds) held += parameters(piece, kind);
  return held * strategy_.element_bytes;
}

std::uint64_t Plan::whole_bytes(std::uint32_t stage, std::uint32_t chunk) const {
  std::uint64_t whole = 0;
  for (const Piece& piece : pieces(stage, chunk)) {
    const Layer& layer = *piece.layer;
    whole += piece.share.of(layer.parameters() - layer.split_parameters + untied(layer) + tied(layer));
  }
  return whole * strategy_.element_bytes;
}

std::uint64_t Plan::times(const Piece& piece, const Gemm& gemm, Work work) const {
  const bool of_weights = gemm.operand == Gemm::Operand::weights;
  switch (work) {
    case Work::forward:
      return 1;
    case Work::input_gradient:
      return of_weights ? piece.layer->needs_input_gradient : 2;
    case Work::weight_gradient:
      return of_weights;
    case Work::recomputation:
      break;
  }
  if (!piece.of_a_block || strategy_.recompute == model::Recompute::none) return 0;
  return strategy_.recompute == model::Recompute::full || !of_weights;
}

std::uint64_t Plan::operations(const Piece& piece, Work work) const {
  const bool split = is_split(*piece.layer);
  std::uint64_t total = 0;
  for (const Gemm& gemm : piece.layer->gemms) {
    if (piece.only && piece.only != &gemm) continue;
    const bool divided = split && (strategy_.keeps_activations() || gemm.split != Gemm::Split::none);
    Fraction part = divided ? piece.share / strategy_.degrees.mp : piece.share;
    if (gemm.of_experts) part = with_capacity(part);
    total += (part * samples()).of(gemm.operations(), times(piece, gemm, work));
  }
  return total;
}

std::vector<MatrixProduct> Plan::products(const Piece& piece, Work work) const {
  const Fraction samples = this->samples();
  std::vector<MatrixProduct> products;
  for (const Gemm& gemm : piece.layer->gemms) {
    if (!gemm.has_shape || times(piece, gemm, work) == 0 || (piece.only && piece.only != &gemm)) continue;
    auto [m, n, k, count] =
        is_split(*piece.layer) ? divided(gemm) : MatrixProduct{gemm.m, gemm.n, gemm.k, gemm.count};
    const bool of_weights = gemm.operand == Gemm::Operand::weights;
    if (gemm.of_experts) {
      const std::uint64_t held =
          std::min(Fraction{1, strategy_.expert_parallel}.of(model_.experts), samples.of(gemm.m));
      m = with_capacity(piece.share * samples / held).of(m);
      count *= held;
    } else {
      m = (of_weights ? piece.share * samples : piece.share).of(m);
      if (!of_weights) count = samples.of(count);
    }
    const MatrixProduct input_gradient{m, k, n, count}, other_gradient{k, n, m, count};
    if (work == Work::forward || work == Work::recomputation) products.push_back({m, n, k, count});
    if (work == Work::input_gradient) products.push_back(input_gradient);
    if (work == Work::weight_gradient || (work == Work::input_gradient && !of_weights))
      products.push_back(other_gradient);
  }
  return products;
}

Fraction Plan::with_capacity(const Fraction& share) const {
  constexpr std::uint64_t kParts = 1000;
  const auto factor = static_cast<std::uint64_t>(std::llround(strategy_.capacity_factor * kParts));
  return factor == kParts ? share : Fraction{share.num * factor, share.den * kParts};
}

/// Per sample.
std::uint64_t Plan::reduced_elements(const Piece& piece) const {
  if (!is_split(*piece.layer)) return 0;
  if (!strategy_.keeps_activations()) return piece.layer->reduces_output ? piece.layer->output_elements : 0;
  std::uint64_t elements = 0;
  for (const Gemm& gemm : piece.layer->gemms)
    if (gemm.operand == Gemm::Operand::weights) elements += gemm.m * gemm.n * gemm.count;
  return elements;
}

std::uint64_t Plan::output_bytes(const Piece& piece) const {
  constexpr std::uint64_t kSumBytes = 4;
  const std::uint64_t bytes = strategy_.keeps_activations() ? kSumBytes : strategy_.element_bytes;
  return (piece.share * samples()).of(reduced_elements(piece) * bytes);
}

std::uint64_t Plan::output_gradient_bytes(const Piece& piece) const {
  return (piece.share * samples()).of(reduced_elements(piece) * strategy_.element_bytes);
}

std::uint64_t Plan::input_gradient_bytes(const Piece& piece) const {
  if (!is_split(*piece.layer) || !piece.layer->reduces_input_gradient || strategy_.keeps_activations())
    return 0;
  return (piece.share * samples()).of(piece.layer->input_elements * strategy_.element_bytes);
}

std::uint64_t Plan::exchange_bytes(const Piece& piece) const {
  if (strategy_.expert_parallel == 1) return 0;
  const std::uint64_t split = strategy_.sequence_parallel ? strategy_.degrees.mp : 1;
  const Fraction share = piece.share / split;
  return ((model_.experts != 0 ? with_capacity(share) : share) * samples())
      .of(piece.layer->dispatched_elements * strategy_.element_bytes);
}

std::uint64_t Plan::boundary_bytes(std::uint32_t stage, std::uint32_t chunk) const {
  return samples().of(pieces(stage, chunk).back().layer->output_elements * strategy_.element_bytes);
}

Plan::Coordinates Plan::coordinates(std::uint32_t rank) const {
  const auto& [mp, dp, pp] = strategy_.degrees;
  return {rank % mp, rank / mp % pp, rank / (mp * pp)};
}

std::string Plan::mp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.degrees.mp == ranks() ? "" : join("mp", {at.pp, at.dp});
}

std::string Plan::dp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.degrees.dp == ranks() ? "" : join("dp", {at.mp, at.pp});
}

std::string Plan::weights_group(std::uint32_t rank) const {
  return strategy_.weight_delivery == WeightDelivery::broadcast ? "" : dp_group(rank);
}

std::string Plan::ep_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.expert_parallel == ranks() ? ""
                                              : join("ep", {at.mp, at.pp, at.dp / strategy_.expert_parallel});
}

std::string Plan::expert_dp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.expert_parallel == 1 ? dp_group(rank)
                                        : join("edp", {at.mp, at.pp, at.dp % strategy_.expert_parallel});
}

std::string Plan::copies_group(std::uint32_t rank, Kind kind) const {
  return kind == Kind::experts ? expert_dp_group(rank) : dp_group(rank);
}

std::string Plan::embedding_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return ranks() == 2 ? "" : join("embedding", {at.mp, at.dp});
}

std::string Plan::multicast_group(std::uint32_t stage, std::uint32_t replica, bool is_forward) const {
  return join(is_forward ? "pp.forward" : "pp.backward", {stage, replica});
}

std::map<std::string, std::vector<std::uint32_t>> Plan::groups() const {
  const Parallelism& degrees = strategy_.degrees;
  const std::uint32_t ep = strategy_.expert_parallel;
  const bool sums_tied =
      !strategy_.streams_weights() && std::any_of(model_.first.begin(), model_.first.end(),
                                                  [this](const Layer& layer) { return tied(layer) != 0; });
  std::map<std::string, std::vector<std::uint32_t>> all;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const Coordinates at = coordinates(rank);
    // Streams also come in for one rank.
    const bool has_input = strategy_.input == Input::streamed && at.pp == 0;
    const bool gets_share =
        strategy_.streams_weights() && strategy_.weight_delivery == WeightDelivery::needed;
    if (degrees.mp > 1 || has_input)
      all[mp_group(rank)] = members(degrees.mp, [&](auto i) { return degrees.worker(i, at.pp, at.dp); });
    add_grid_groups(rank, all);
    if (degrees.dp > 1 || gets_share)
      all[dp_group(rank)] = members(degrees.dp, [&](auto i) { return degrees.worker(at.mp, at.pp, i); });
    if (ep > 1) {
      all[ep_group(rank)] =
          members(ep, [&](auto i) { return degrees.worker(at.mp, at.pp, at.dp / ep * ep + i); });
      if (degrees.dp > ep)
        all[expert_dp_group(rank)] = members(
            degrees.dp / ep, [&](auto i) { return degrees.worker(at.mp, at.pp, i * ep + at.dp % ep); });
    }
    if (sums_tied)
      all[embedding_group(rank)] =
          members(2, [&](auto i) { return degrees.worker(at.mp, i * (degrees.pp - 1), at.dp); });
    if (degrees.pp == 1 || strategy_.stage_transfer == StageTransfer::peer || at.mp != 0) continue;
    for (const bool is_forward : {true, false}) {
      const std::uint32_t to = (at.pp + (is_forward ? 1 : degrees.pp - 1)) % degrees.pp;
      if (strategy_.chunks_per_stage == 1 && to != at.pp + (is_forward ? 1 : -1U)) continue;
      std::vector<std::uint32_t>& group = all[multicast_group(at.pp, at.dp, is_forward)];
      group = members(degrees.mp, [&](auto i) { return degrees.worker(i, to, at.dp); });
      group.insert(group.begin(), rank);
    }
  }
  all.erase("");
  return all;
}

}  // namespace wafertlm::training
