// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/tensor_schedule.h"

#include "workloads/training/tensor_grid.h"
#include "workloads/training/tensor_stream.h"

namespace wafertlm::training {

std::unique_ptr<TensorSchedule> tensor_schedule(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes) {
  switch (plan.strategy().tensor_parallelism) {
    case TensorParallelism::one_d:
      break;
    case TensorParallelism::two_d:
      return std::make_unique<TensorGrid>(plan, rank, nodes);
    case TensorParallelism::stream:
    case TensorParallelism::two_way_stream:
      return std::make_unique<TensorStream>(plan, rank, nodes);
  }
  return nullptr;
}

}  // namespace wafertlm::training
