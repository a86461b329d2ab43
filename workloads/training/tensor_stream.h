// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workloads/training/tensor_schedule.h"

namespace wafertlm::training {

/// TensorParallelism::stream, the tensor stream partition of TEMP (Wang et al., HPCA 2026, arXiv 2512.14256):
/// the N ranks of an MP group have tokens each, and a part of N of every weight matrix, all of which go round
/// the ring of ranks. In each of N steps a rank computes with the part it has and passes it on, at the same
/// time: max(t/N, W·b/(N·BW)) a step, after the last of which every part is where it began. Backward the
/// weights go round for the input gradients; then sums of weight gradients do, which N − 1 passes bring to
/// those that hold the weights. Of an attention keys and values go round; backward with their gradients. With
/// two_way_stream half of each part goes each way: W·b/(2·N·BW). Adding to a sum on its way is free.
class TensorStream : public TensorSchedule {
 public:
  TensorStream(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes)
      : TensorSchedule(plan, rank, nodes) {}
  void forward(const Piece& piece, Plan::Work work) override;
  void backward(const Piece& piece) override;

 private:
  /// Products that one round of the ring is for; all alike, but those of an attention come together.
  using Products = std::vector<Piece>;
  std::vector<Products> rounds(const Piece& piece) const;
  /// @param times the bytes of the operands that go round. @param sums go round, in place of operands.
  void go_round(const char* what, const Products& products, Plan::Work work, std::uint64_t times, bool sums);
  /// `bytes` to the neighbours and as many from them. @return what there is to wait for.
  NodeIds pass(const std::string& what, std::uint64_t bytes);
  std::uint32_t neighbour(std::uint32_t ahead) const;
};

}  // namespace wafertlm::training
