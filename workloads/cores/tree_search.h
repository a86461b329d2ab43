// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/cores/reduction_tree.h"

namespace wafertlm::cores {

/// The tree with the smallest modelled time for so many wavelets: dynamic programming over depth, contention
/// and energy (the Auto-Gen reduce of Luczynski et al., HPDC 2024). Trees are those whose subtrees are runs
/// of neighbours; chains of any depth are among them, others up to twice the square root of the places deep.
ReductionTree searched_tree(std::uint32_t places, std::uint32_t wavelets, Cycle ramp);

}  // namespace wafertlm::cores
