// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/tensor_grid.h"

namespace wafertlm::training {

using chakra::CollectiveType;
using model::Gemm;
using Work = Plan::Work;

void TensorGrid::forward(const Piece& piece, Work work) {
  const std::string& name = piece.layer->name;
  Line inputs = Line::row, outputs = Line::column;
  for (const Gemm& gemm : piece.layer->gemms) {
    const Piece product = product_of(piece, gemm);
    const bool of_weights = gemm.operand == Gemm::Operand::weights;
    if (plan_.operations(product, work) != 0) {
      if (of_weights)
        nodes_.wait_for(
            gather(name + " inputs", inputs, plan_.product_input_bytes(piece, gemm), nodes_.everything()));
      compute(work == Work::forward ? "forward " : "recompute ", product, work);
      if (of_weights)
        nodes_.wait_for(scatter(name + " outputs", outputs, plan_.product_output_bytes(piece, gemm),
                                nodes_.everything()));
    }
    if (of_weights) std::swap(inputs, outputs);
  }
  // Rows of the embedding's table, of which every rank has some.
  if (piece.layer->gemms.empty() && plan_.output_bytes(piece) != 0)
    nodes_.wait_for(scatter(name, Line::row, plan_.output_bytes(piece), nodes_.everything()));
}

void TensorGrid::backward(const Piece& piece) {
  const std::vector<Gemm>& gemms = piece.layer->gemms;
  Line inputs = Line::column, outputs = Line::row;
  for (const Gemm& gemm : gemms)
    if (gemm.operand == Gemm::Operand::weights) std::swap(inputs, outputs);  // those of the last one
  for (auto gemm = gemms.rbegin(); gemm != gemms.rend(); ++gemm) {
    if (gemm->operand == Gemm::Operand::activations) {
      compute("input_gradient ", product_of(piece, *gemm), Work::input_gradient);
      continue;
    }
    backward_product(piece, *gemm, inputs, outputs);
    std::swap(inputs, outputs);
  }
  if (gemms.empty() && plan_.output_bytes(piece) != 0)
    nodes_.wait_for(gather(piece.layer->name + " output gradients", Line::row, plan_.output_bytes(piece),
                           nodes_.everything()));
}

/// With Strategy::overlap_mp the inputs come beside the input gradient, which is reduced beside the weights'.
void TensorGrid::backward_product(const Piece& piece, const Gemm& gemm, Line inputs, Line outputs) {
  const Piece product = product_of(piece, gemm);
  const std::string& name = piece.layer->name;
  const bool overlaps = plan_.strategy().overlap_mp;
  const NodeIds before = nodes_.everything();
  const auto gather_inputs = [&](const NodeIds& after) {
    return gather(name + " inputs", inputs, plan_.product_input_bytes(piece, gemm), after);
  };
  nodes_.wait_for(
      gather(name + " output gradients", outputs, plan_.product_output_bytes(piece, gemm), before));
  NodeIds came;
  if (overlaps) came = {gather_inputs(before)};
  compute("input_gradient ", product, Work::input_gradient);
  NodeIds reduced;
  if (plan_.operations(product, Work::input_gradient) != 0)
    reduced = {scatter(name + " input gradients", inputs, plan_.product_input_bytes(piece, gemm),
                       nodes_.everything())};
  if (!overlaps) came = {gather_inputs(reduced.empty() ? nodes_.everything() : reduced)};
  for (const std::uint64_t id : came) nodes_.wait_for(id);
  compute("weight_gradient ", product, Work::weight_gradient);
  for (const std::uint64_t id : reduced) nodes_.wait_for(id);
}

std::uint64_t TensorGrid::gather(const std::string& what, Line line, std::uint64_t bytes,
                                 const NodeIds& after) {
  return nodes_.collective(CollectiveType::AllGather, "all_gather " + what, "mp",
                           plan_.grid_group(rank_, line), Fraction{1, plan_.strategy().degrees.mp}.of(bytes),
                           after);
}

std::uint64_t TensorGrid::scatter(const std::string& what, Line line, std::uint64_t bytes,
                                  const NodeIds& after) {
  return nodes_.collective(CollectiveType::ReduceScatter, "reduce_scatter " + what, "mp",
                           plan_.grid_group(rank_, line), Fraction{1, plan_.grid_side()}.of(bytes), after);
}

}  // namespace wafertlm::training
