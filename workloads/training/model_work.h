// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// Arithmetic operations of the forward and backward passes of an iteration, of all ranks, of what is
/// simulated of it: without recomputation, optimizer, and room for more tokens than experts get.
double model_operations(const Plan& plan);

}  // namespace wafertlm::training
