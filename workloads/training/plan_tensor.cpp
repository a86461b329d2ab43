// SPDX-License-Identifier: Apache-2.0
// What a rank has to do with tensor parallelism that divides activations, too.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "workloads/training/plan.h"

namespace wafertlm::training {

using model::Gemm;
using model::nearest_divisors;
using Cause = PlanError::Cause;

namespace {

bool is_of_weights(const Gemm& gemm) { return gemm.operand == Gemm::Operand::weights; }

std::uint32_t root_below(std::uint32_t square) {
  std::uint32_t root = 1;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

}  // namespace

std::uint32_t Plan::grid_side() const { return root_below(strategy_.degrees.mp); }

std::string Plan::grid_group(std::uint32_t rank, Line line) const {
  const Coordinates at = coordinates(rank);
  return fmt::format("mp.{}.{}.{}.{}", line == Line::row ? "row" : "column",
                     line == Line::row ? at.mp / grid_side() : at.mp % grid_side(), at.pp, at.dp);
}

void Plan::add_grid_groups(std::uint32_t rank, std::map<std::string, std::vector<std::uint32_t>>& all) const {
  if (strategy_.tensor_parallelism != TensorParallelism::two_d) return;
  const Coordinates at = coordinates(rank);
  const std::uint32_t side = grid_side();
  for (const Line line : {Line::row, Line::column}) {
    std::vector<std::uint32_t>& group = all[grid_group(rank, line)];
    group.clear();
    for (std::uint32_t i = 0; i < side; ++i)
      group.push_back(strategy_.degrees.worker(
          line == Line::row ? at.mp / side * side + i : i * side + at.mp % side, at.pp, at.dp));
  }
}

MatrixProduct Plan::divided(const Gemm& gemm) const {
  MatrixProduct product{gemm.m, gemm.n, gemm.k, gemm.count};
  const Fraction part{1, strategy_.degrees.mp};
  if (strategy_.streams_tensors()) {  // tokens, and of the operand what is there in a step
    std::uint64_t& of_operand = is_of_weights(gemm) || gemm.n == gemm.m ? product.n : product.k;
    product.m = part.of(product.m);
    of_operand = part.of(of_operand);
  } else if (strategy_.tensor_parallelism == TensorParallelism::two_d && is_of_weights(gemm)) {
    const Fraction of_a_line{1, grid_side()};
    product.n = of_a_line.of(product.n);
    product.k = of_a_line.of(product.k);
  } else {
    const Gemm::Split split = !strategy_.keeps_activations() ? gemm.split
                              : is_of_weights(gemm)          ? Gemm::Split::rows
                                                             : Gemm::Split::count;
    if (split == Gemm::Split::columns) product.n = part.of(product.n);
    if (split == Gemm::Split::rows) product.k = part.of(product.k);
    if (split == Gemm::Split::count) product.count = part.of(product.count);
  }
  return product;
}

std::uint64_t Plan::product_input_bytes(const Piece& piece, const Gemm& gemm) const {
  return (piece.share * samples()).of(gemm.m * gemm.k * strategy_.element_bytes);
}

std::uint64_t Plan::product_output_bytes(const Piece& piece, const Gemm& gemm) const {
  return (piece.share * samples()).of(gemm.m * gemm.n * gemm.count * strategy_.element_bytes);
}

std::uint64_t Plan::operand_bytes(const Piece& piece, const Gemm& gemm) const {
  const std::uint64_t bytes = gemm.k * gemm.n * gemm.count * strategy_.element_bytes;
  if (is_of_weights(gemm)) return piece.share.of(bytes);
  const Fraction share{piece.share.num * model_.kv_heads, piece.share.den * model_.heads};
  return (share * samples()).of(bytes);
}

std::uint64_t Plan::tensor_buffer_bytes(const Piece& piece) const {
  if (strategy_.tensor_parallelism == TensorParallelism::one_d || !is_split(*piece.layer)) return 0;
  std::uint64_t most = 0, of_activations = 0;
  for (const Gemm& gemm : piece.layer->gemms) {
    if (!strategy_.streams_tensors()) {
      if (!is_of_weights(gemm)) continue;
      const Fraction slice{1, grid_side()};
      most = std::max(
          most, slice.of(product_input_bytes(piece, gemm)) + slice.of(product_output_bytes(piece, gemm)));
      continue;
    }
    const std::uint64_t part = Fraction{1, strategy_.degrees.mp}.of(operand_bytes(piece, gemm));
    if (!is_of_weights(gemm)) of_activations += 2 * part;  // backward with the sums of their gradients
    most = std::max(most, is_of_weights(gemm) ? part : of_activations);
  }
  return most;
}

void Plan::check_tensor_parallelism() const {
  const Strategy& s = strategy_;
  if (s.tensor_parallelism == TensorParallelism::one_d) return;
  const auto fail = [](const std::string& text) { throw PlanError(Cause::tensor, text); };
  const std::uint32_t mp = s.degrees.mp, side = grid_side();
  if (mp == 1)
    fail("tensor_parallelism is about what MP divides, and mp is 1; use a larger MP, or leave it out");
  if (s.tensor_parallelism == TensorParallelism::two_d && side * side != mp)
    fail(fmt::format("tensor_parallelism: 2d needs a square of ranks, and mp is {}; use {}{}", mp,
                     side == 1 ? "" : fmt::format("{} or ", side * side), (side + 1) * (side + 1)));
  if (model_.tokens == 0 || model_.experts != 0)
    fail(
        fmt::format("tensor_parallelism other than 1d divides the tokens of dense transformers, and the "
                    "model {} {}; use 1d",
                    model_.name, model_.experts != 0 ? "has experts" : "has no tokens"));
  if (s.sequence_parallel)
    fail("tensor_parallelism other than 1d divides the sequence already; leave sequence_parallel out");
  if (!s.split_vocabulary)
    fail("tensor_parallelism other than 1d divides embedding and head, too; set split_vocabulary: true");
  if (s.streams_weights())
    fail("tensor_parallelism other than 1d is for weights that are on the NPUs; use weights: stationary");
  if (s.schedule == Schedule::zero_bubble)
    fail(
        "tensor_parallelism other than 1d computes both gradients of a product one after the other; use "
        "another schedule than zero_bubble");
  if (s.streams_tensors() && s.overlap_mp)
    fail("tensor_parallelism: stream overlaps by itself; leave overlap_mp out");
}

void Plan::check_tensor_split(const Gemm& gemm) const {
  const bool is_grid = strategy_.tensor_parallelism == TensorParallelism::two_d;
  const auto require = [&](const char* what, std::uint64_t number, std::uint64_t by) {
    if (number % by == 0) return;
    throw PlanError(Cause::degrees,
                    fmt::format("{} ({}) do not divide by {}, {}; values that do: {}; or use uneven: "
                                "fractional",
                                what, number, is_grid ? "the side of the grid of MP" : "mp", by,
                                nearest_divisors(number, by)));
  };
  const std::uint64_t by = is_grid ? grid_side() : strategy_.degrees.mp;
  require("the tokens", gemm.m, by);
  if (is_grid && gemm.split == Gemm::Split::count) {
    require("the heads", model_.heads, strategy_.degrees.mp);
    require("the key and value heads", model_.kv_heads, strategy_.degrees.mp);
  }
  if (!is_of_weights(gemm)) return;
  require("the outputs of a product", gemm.n, by);
  if (is_grid) require("the inputs of a product", gemm.k, by);
}

}  // namespace wafertlm::training
