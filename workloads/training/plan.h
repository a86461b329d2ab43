// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tlm/program/matrix_product.h"
#include "workloads/models/layer.h"
#include "workloads/training/holding.h"
#include "workloads/training/pipeline.h"
#include "workloads/training/strategy.h"

namespace wafertlm::training {

/// A model and a strategy that do not fit.
class PlanError : public std::invalid_argument {
 public:
  enum class Cause : std::uint8_t {
    degrees,
    batch,
    schedule,
    chunks,
    rounds,
    experts,
    zero,
    transfer,
    model,
    weights,
    activations,
    delivery,
    buffers,
    shortened,
    capacity,
    prefetch,
    tensor,
    recompute,
    lending
  };
  PlanError(Cause cause, const std::string& text) : invalid_argument(text), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// num / den of something whole.
struct Fraction {
  std::uint64_t num = 1, den = 1;

  /// Rounded up. @throws std::invalid_argument when `whole` times num needs more than 127 bits' worth, or the
  /// result more than 63.
  std::uint64_t of(std::uint64_t whole, std::uint64_t times = 1) const;
  Fraction operator/(std::uint64_t by) const { return {num, den * by}; }
  Fraction operator*(const Fraction& by) const { return {num * by.num, den * by.den}; }
};

/// A layer on a stage: all of it, or with Uneven::fractional a fraction.
struct Piece {
  const model::Layer* layer = nullptr;
  Fraction share;
  std::uint32_t unit = 0;  ///< pieces of one unit (a block) belong together
  bool of_a_block = false;
  const model::Gemm* only = nullptr;  ///< of the layer's products; none: all of them
};

/// A model and a strategy that fit each other: who holds what, how much each rank computes and sends.
class Plan {
 public:
  /// @throws PlanError naming the degree that does not divide, and the nearest values that do.
  Plan(model::Model model, const Strategy& strategy);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const model::Model& model() const { return model_; }
  /// Of what is simulated: with Strategy::simulated_chunks and simulated_rounds these are all there are, and
  /// microbatches and minibatch are theirs.
  const Strategy& strategy() const { return strategy_; }
  std::uint32_t ranks() const { return strategy_.degrees.workers(); }

  /// What a stage does in an iteration.
  std::vector<Pass> passes(std::uint32_t stage) const;
  /// The layers of a stage's chunk in forward order. Of a part of the chunks the last one stands for the last
  /// of all, so that the model's first and last layers are there.
  std::vector<Piece> pieces(std::uint32_t stage, std::uint32_t chunk) const;

  /// Whether tensor parallelism divides it.
  bool is_split(const model::Layer& layer) const;

  // Of one rank that computes the piece.
  std::uint64_t parameters(const Piece& piece, Kind kind) const;  ///< that it computes with
  /// Of those the ones of which it holds the part: an equal share, rounded up (shares are padded).
  std::uint64_t held(const Piece& piece, Part part, Kind kind) const;
  enum class Work : std::uint8_t { forward, input_gradient, weight_gradient, recomputation };
  std::uint64_t operations(const Piece& piece, Work work) const;  ///< of a microbatch
  /// What these operations are, one after the other. Of Y = X·W, with the rows of all samples of the
  /// microbatch in X: dX = dY·Wᵀ and dW = Xᵀ·dY; of two activations both gradients, per sample. What does not
  /// divide is rounded up in the dimension that is divided (a fraction of a layer: in the rows of X).
  std::vector<MatrixProduct> products(const Piece& piece, Work work) const;
  /// Of a microbatch: what tensor parallelism reduces, all of it; 0 if nothing. With stationary activations
  /// the results of all products, as sums in FP32.
  std::uint64_t output_bytes(const Piece& piece) const;
  /// Of a microbatch: what a backward pass gathers first, where activations are scattered.
  std::uint64_t output_gradient_bytes(const Piece& piece) const;
  std::uint64_t input_gradient_bytes(const Piece& piece) const;
  // With TensorParallelism other than one_d, of a microbatch: a product's inputs and outputs of all tokens,
  // and the matrix that goes round (weights, or keys and values); and what is on its way at a time.
  std::uint64_t product_input_bytes(const Piece& piece, const model::Gemm& gemm) const;
  std::uint64_t product_output_bytes(const Piece& piece, const model::Gemm& gemm) const;
  std::uint64_t operand_bytes(const Piece& piece, const model::Gemm& gemm) const;
  std::uint64_t tensor_buffer_bytes(const Piece& piece) const;

  std::uint64_t exchange_bytes(const Piece& piece) const;  ///< an all-to-all's buffer
  /// Of a microbatch: what a chunk hands to the next.
  std::uint64_t boundary_bytes(std::uint32_t stage, std::uint32_t chunk) const;

  /// Of a chunk's weights: what a rank that holds it needs, or all of it, which WeightDelivery::broadcast
  /// brings. Gradients are as large.
  std::uint64_t held_bytes(std::uint32_t stage, std::uint32_t chunk) const;
  std::uint64_t whole_bytes(std::uint32_t stage, std::uint32_t chunk) const;
  /// Of a microbatch: the samples of a replica.
  std::uint64_t input_bytes() const { return samples().of(model_.input_bytes); }
  /// Of a microbatch and replica.
  Fraction samples() const;

  /// The communicators by name, see the functions below; without that of all ranks, whose name is "".
  std::map<std::string, std::vector<std::uint32_t>> groups() const;
  std::string mp_group(std::uint32_t rank) const;
  /// TensorParallelism::two_d: the side of the grid that an MP group is, and the ranks of `rank`'s line of
  /// it.
  enum class Line : std::uint8_t { row, column };
  std::uint32_t grid_side() const;
  std::string grid_group(std::uint32_t rank, Line line) const;
  std::string dp_group(std::uint32_t rank) const;
  /// Who gets a chunk of `rank`'s weights: WeightDelivery.
  std::string weights_group(std::uint32_t rank) const;
  /// Ranks that divide the experts, and those with the same experts.
  std::string ep_group(std::uint32_t rank) const;
  std::string expert_dp_group(std::uint32_t rank) const;
  /// The first and the last stage of `rank`'s pipeline, which have a copy each of tied embeddings.
  std::string embedding_group(std::uint32_t rank) const;
  /// StageTransfer::multicast: the first worker of `rank`'s stage and replica, and the MP group of the stage
  /// after it (forward) or before it. The root comes first.
  std::string multicast_group(std::uint32_t stage, std::uint32_t replica, bool is_forward) const;

  /// The ranks of its stage that compute with the same parameters as `rank`: training::copies().
  std::string copies_group(std::uint32_t rank, Kind kind) const;

  /// Of a rank in each degree.
  struct Coordinates {
    std::uint32_t mp, pp, dp;
  };
  Coordinates coordinates(std::uint32_t rank) const;

 private:
  std::uint64_t reduced_elements(const Piece& piece) const;
  void check_degrees() const;
  void check_activations() const;
  void check_streams() const;
  void check_shortened() const;
  void check_split(const model::Layer& layer) const;
  void check_gathering() const;
  void check_tensor_parallelism() const;
  void check_recomputation() const;
  void check_tensor_split(const model::Gemm& gemm) const;
  void add_grid_groups(std::uint32_t rank, std::map<std::string, std::vector<std::uint32_t>>& all) const;
  /// A rank's part of a product of one sample; of a stream, in one step.
  MatrixProduct divided(const model::Gemm& gemm) const;
  /// Of those that two layers share what a stage has of its own: all, if the layers are on two stages.
  std::uint64_t tied(const model::Layer& layer) const {
    return strategy_.degrees.pp > 1 ? layer.tied_parameters : 0;
  }
  std::uint64_t untied(const model::Layer& layer) const {
    return layer.split_parameters - std::min(layer.split_parameters, tied(layer));
  }
  /// Strategy::capacity_factor times as much, to a thousandth.
  Fraction with_capacity(const Fraction& share) const;
  /// How often a product of the forward pass is computed in this work: its gradients are as large.
  std::uint64_t times(const Piece& piece, const model::Gemm& gemm, Work work) const;

  model::Model model_;
  Strategy strategy_;
  std::uint32_t all_chunks_per_stage_;
};

}  // namespace wafertlm::training
