// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "workloads/collectives/algorithm.h"

namespace wafertlm {

inline std::uint32_t ranks_of(const CollectiveRequest& request) {
  return static_cast<std::uint32_t>(request.group.size());
}

/// A program per rank, all with the same plan.
template <typename Program, typename Plan>
Algorithm::Programs rank_programs(const CollectiveRequest& request, Plan plan) {
  const auto shared = std::make_shared<const Plan>(std::move(plan));
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(std::make_unique<Program>(shared, rank));
  return programs;
}

}  // namespace wafertlm
