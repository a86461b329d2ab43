// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/ranking.h"

#include <cmath>

namespace wafertlm::model_gap {
namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double each : values) {
    double below = 0, same = 0;
    for (const double other : values) {
      below += other < each ? 1 : 0;
      same += other == each ? 1 : 0;
    }
    ranks.push_back(below + (same + 1) / 2);
  }
  return ranks;
}

/// Times that differ by less are the same: rounding, and an optimum on a kink.
bool is_less(double a, double b) { return a < b * (1 - 1e-9); }

}  // namespace

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return std::nullopt;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double both = 0, of_x = 0, of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean) * (y[i] - mean);
    of_x += (x[i] - mean) * (x[i] - mean);
    of_y += (y[i] - mean) * (y[i] - mean);
  }
  if (of_x == 0 || of_y == 0) return std::nullopt;
  return both / std::sqrt(of_x * of_y);
}

Swaps swaps(const std::vector<double>& model, const std::vector<double>& simulated) {
  Swaps found;
  for (std::size_t i = 0; i < model.size(); ++i)
    for (std::size_t j = 0; j < model.size(); ++j) {
      if (!is_less(model[i], model[j])) continue;
      const bool is_swapped = is_less(simulated[j], simulated[i]);
      if (is_swapped || is_less(simulated[i], simulated[j])) ++found.pairs;
      if (!is_swapped) continue;
      ++found.swapped;
      const double loss = simulated[i] / simulated[j] - 1;
      if (loss <= found.loss) continue;
      found.loss = loss;
      found.worst = {i, j};
    }
  return found;
}

}  // namespace wafertlm::model_gap
