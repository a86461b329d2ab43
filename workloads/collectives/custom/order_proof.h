// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {

/// Proves by happens-before that no order of threads changes what a program leaves: of two accesses to a
/// chunk of a rank of which one writes, one comes before the other by the order within a thread, what
/// operations wait for, and messages from send to receive. (Vector clocks: Mattern, Virtual Time and Global
/// States of Distributed Systems, 1989.) Requires that every message has both halves; what a deadlock keeps
/// from starting is left out.
/// @throws std::invalid_argument naming both operations and the chunk
void prove_order(const CustomAlgorithm& algorithm);

}  // namespace wafertlm
