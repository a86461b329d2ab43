// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/tensor_stream.h"

#include <fmt/core.h>

#include <utility>

#include "tlm/kernel/units.h"

namespace wafertlm::training {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using model::Gemm;
using Work = Plan::Work;

std::vector<TensorStream::Products> TensorStream::rounds(const Piece& piece) const {
  std::vector<Products> rounds;
  bool of_activations = false;
  for (const Gemm& gemm : piece.layer->gemms) {
    const bool joins = of_activations && gemm.operand == Gemm::Operand::activations;
    if (!joins) rounds.emplace_back();
    rounds.back().push_back(product_of(piece, gemm));
    of_activations = gemm.operand == Gemm::Operand::activations;
  }
  return rounds;
}

void TensorStream::forward(const Piece& piece, Work work) {
  for (const Products& products : rounds(piece))
    go_round(work == Work::forward ? "forward" : "recompute", products, work, 1, false);
  // Rows of the embedding's table, of which every rank has some.
  if (piece.layer->gemms.empty() && plan_.output_bytes(piece) != 0)
    nodes_.wait_for(nodes_.collective(CollectiveType::ReduceScatter, "reduce_scatter " + piece.layer->name,
                                      "mp", plan_.mp_group(rank_), plan_.output_bytes(piece),
                                      nodes_.everything()));
}

void TensorStream::backward(const Piece& piece) {
  const std::vector<Products> all = rounds(piece);
  for (auto products = all.rbegin(); products != all.rend(); ++products) {
    const bool of_weights = products->front().only->operand == Gemm::Operand::weights;
    go_round("input_gradient", *products, Work::input_gradient, of_weights ? 1 : 2, false);
    go_round("weight_gradient", *products, Work::weight_gradient, 1, true);
  }
  if (all.empty() && plan_.output_bytes(piece) != 0)
    nodes_.wait_for(nodes_.collective(
        CollectiveType::AllGather, "all_gather " + piece.layer->name, "mp", plan_.mp_group(rank_),
        Fraction{1, plan_.strategy().degrees.mp}.of(plan_.output_bytes(piece)), nodes_.everything()));
}

void TensorStream::go_round(const char* what, const Products& products, Work work, std::uint64_t times,
                            bool sums) {
  const std::uint64_t steps = plan_.strategy().degrees.mp;
  std::uint64_t operations = 0, bytes = 0;
  std::vector<MatrixProduct> shapes;
  for (const Piece& product : products) {
    const std::vector<MatrixProduct> more = plan_.products(product, work);
    shapes.insert(shapes.end(), more.begin(), more.end());
    operations += plan_.operations(product, work);
    bytes += times * plan_.operand_bytes(product, *product.only);
  }
  if (operations == 0) return;
  const std::uint64_t part = Fraction{1, steps}.of(bytes);
  const std::string& layer = products.front().layer->name;
  for (std::uint64_t step = 0; step < steps; ++step) {
    NodeIds passed;
    if (!sums || step > 0) passed = pass(layer, part);
    const auto until = [&](std::uint64_t k) {
      return static_cast<std::uint64_t>(Uint128{operations} * k / steps);
    };
    nodes_.compute(fmt::format("{} {} step {}", what, layer, step), until(step + 1) - until(step), shapes);
    for (const std::uint64_t id : passed) nodes_.wait_for(id);
  }
  // Whoever reduces the gradients waits for the last addition.
  if (sums)
    nodes_.compute("sum " + layer,
                   (part + plan_.strategy().element_bytes - 1) / plan_.strategy().element_bytes, {});
}

NodeIds TensorStream::pass(const std::string& what, std::uint64_t bytes) {
  NodeIds after = nodes_.last();
  after.insert(after.end(), nodes_.waits().begin(), nodes_.waits().end());
  const std::uint32_t ranks = plan_.strategy().degrees.mp;
  const bool both = plan_.strategy().tensor_parallelism == TensorParallelism::two_way_stream;
  NodeIds ids;
  for (std::uint32_t way = 0; way < (both ? 2U : 1U); ++way) {
    const std::uint32_t ahead = way == 0 ? 1 : ranks - 1;
    const std::uint64_t share = both ? (bytes + 1 - way) / 2 : bytes;
    if (share == 0) continue;
    for (const NodeType type : {NodeType::CommSend, NodeType::CommRecv}) {
      const bool sends = type == NodeType::CommSend;
      Node& node = nodes_.communication(type, (sends ? "send " : "receive ") + what, "mp", share, after);
      node.comm_src = sends ? rank_ : neighbour(ranks - ahead);
      node.comm_dst = sends ? neighbour(ahead) : rank_;
      node.comm_tag = way;
      ids.push_back(node.id);
    }
  }
  return ids;
}

std::uint32_t TensorStream::neighbour(std::uint32_t ahead) const {
  const Parallelism& degrees = plan_.strategy().degrees;
  const Plan::Coordinates at = plan_.coordinates(rank_);
  return degrees.worker((at.mp + ahead) % degrees.mp, at.pp, at.dp);
}

}  // namespace wafertlm::training
