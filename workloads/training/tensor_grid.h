// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "workloads/training/tensor_schedule.h"

namespace wafertlm::training {

/// TensorParallelism::two_d, as Hecaton (Huang et al., arXiv 2407.05784): an MP group is a grid of n × n
/// ranks. Of X (tokens × inputs) a line of ranks has a slice of the inputs, each rank of it some tokens; of W
/// every rank has a tile. Y = X·W: all-gather of the slice along the line, product, reduce-scatter of the
/// partial sums along the other line, so that the next product changes the lines: (n − 1)/n · S·H·b/n bytes
/// from each rank in either. Backward all-gather of dY, product, reduce-scatter of dX; then X is gathered
/// again, of which only the rank's part was kept. An attention has whole heads on every rank.
class TensorGrid : public TensorSchedule {
 public:
  TensorGrid(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes) : TensorSchedule(plan, rank, nodes) {}
  void forward(const Piece& piece, Plan::Work work) override;
  void backward(const Piece& piece) override;

 private:
  using Line = Plan::Line;
  /// `bytes`: of all ranks and lines.
  std::uint64_t gather(const std::string& what, Line line, std::uint64_t bytes, const NodeIds& after);
  std::uint64_t scatter(const std::string& what, Line line, std::uint64_t bytes, const NodeIds& after);
  void backward_product(const Piece& piece, const model::Gemm& gemm, Line inputs, Line outputs);
};

}  // namespace wafertlm::training
