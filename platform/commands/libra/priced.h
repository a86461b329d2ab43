// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/libra/bandwidth_problem.h"

namespace wafertlm::libra {

/// What an NPU and its part of the network cost: fixed + Σ per_bandwidth_d · B_d, in $.
struct Price {
  double fixed = 0;
  std::vector<double> per_bandwidth;  ///< by dimension, $ per GB/s

  double of(const std::vector<double>& bandwidths) const;
};

/// The least time · cost. T·C is not convex in B, but the least time T*(γ) at a cost of at most γ is convex
/// in γ; its tangents (multipliers of the cost) bound γ·T*(γ) from below in every interval, which are split
/// until nothing in them can be better. So the optimum is a global one.
/// @throws std::invalid_argument: as minimize(); or time · cost runs to zero bandwidth, because nothing keeps
/// all bandwidths from shrinking together and the price has no fixed part.
Optimum minimize_time_cost(const BandwidthProblem& time, const Price& price);

/// The least cost at which the time is at most `limit_ns`. `value` and bounds are costs.
/// @throws std::invalid_argument: as minimize(); or no bandwidths that fulfil the constraints are that fast.
Optimum minimize_cost(const BandwidthProblem& time, const Price& price, double limit_ns);

}  // namespace wafertlm::libra
