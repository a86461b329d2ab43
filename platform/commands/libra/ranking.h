// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace wafertlm::model_gap {

/// Spearman's rank correlation; nullopt with fewer than 3 pairs, or without any order in one of them.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

/// Where a model ranks candidates otherwise than the simulation.
struct Swaps {
  std::size_t swapped = 0, pairs = 0;  ///< pairs that either puts in an order; ties are none
  /// Of the swapped ones that in which following the model loses most: it prefers the first, the second is
  /// faster. By place in the lists.
  std::optional<std::pair<std::size_t, std::size_t>> worst;
  double loss = 0;  ///< of the worst: time of the first over that of the second, less 1
};
Swaps swaps(const std::vector<double>& model, const std::vector<double>& simulated);

}  // namespace wafertlm::model_gap
