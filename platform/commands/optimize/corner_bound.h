// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/optimize/spec.h"

namespace wafertlm::optimize {

/// A time that no point of the whole space is below, without a model of it.
struct CornerBound {
  double time_s = 0;
  std::string what;     ///< "computation of the busiest rank" or "the longest collective's own bound"
  std::string at;       ///< the corner, in words
  std::string problem;  ///< why there is none; empty: there is
  Point point = {};     ///< the corner
};

/// With every number at that end of its range where rates of the machine are highest and times lowest,
/// constraints aside, and the best of all texts: what the busiest rank computes, or the bound of the longest
/// collective (workloads/collectives/cost.h). Both only fall with higher rates and lower times, and an
/// iteration takes both at least. None if a variable changes anything else of the machine (sizes, counts,
/// packets), or the work; with several workloads, jitter, or iterations that overlap. Nothing is simulated.
CornerBound bound_at_corner(const OptimizeSpec& spec);

}  // namespace wafertlm::optimize
