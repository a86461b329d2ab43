// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "workloads/training/node_builder.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// The passes of a layer through an MP group whose ranks have a part each of all activations, product after
/// product (Strategy::tensor_parallelism).
class TensorSchedule {
 public:
  virtual ~TensorSchedule() = default;
  TensorSchedule(const TensorSchedule&) = delete;
  TensorSchedule& operator=(const TensorSchedule&) = delete;

  /// `work`: forward or recomputation.
  virtual void forward(const Piece& piece, Plan::Work work) = 0;
  /// Both gradients. The last computation has the weights'.
  virtual void backward(const Piece& piece) = 0;

 protected:
  TensorSchedule(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes)
      : plan_(plan), rank_(rank), nodes_(nodes) {}
  void compute(const char* what, const Piece& product, Plan::Work work) {
    nodes_.compute(what + product.layer->name, plan_.operations(product, work),
                   plan_.products(product, work));
  }

  // All outlive it.
  const Plan& plan_;
  std::uint32_t rank_;
  NodeBuilder& nodes_;
};

/// None with TensorParallelism::one_d.
std::unique_ptr<TensorSchedule> tensor_schedule(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes);

/// The product of a piece.
inline Piece product_of(const Piece& piece, const model::Gemm& gemm) {
  Piece product = piece;
  product.only = &gemm;
  return product;
}

}  // namespace wafertlm::training
