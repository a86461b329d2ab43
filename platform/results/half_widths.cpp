// SPDX-License-Identifier: Apache-2.0
#include "platform/results/half_widths.h"

#include <algorithm>

#include "platform/machine/sampled/sampling.h"
#include "platform/machine/wafer.h"

namespace wafertlm::results {
namespace {

/// Of an iteration: what comes of operations that are served in another order than they would have been,
/// which no audit of times sees.
constexpr double kOrder = 0.0005;

/// 1 for a rank without idle time.
double whole_over_busy(const IterationResult& iteration, std::size_t rank) {
  const auto idle = iteration.ranks[rank].find("idle");
  const auto whole_ps = static_cast<double>(iteration.end_ps - iteration.start_ps);
  const double idle_ps = idle == iteration.ranks[rank].end() ? 0 : static_cast<double>(idle->second);
  return whole_ps / std::max(whole_ps - idle_ps, 1.0);
}

IterationHalfWidths half_widths_of(const Machine& machine, const Placement& npus,
                                   const IterationResult& iteration, std::size_t number) {
  const Sampling& sampling = *machine.sampling();
  const ClassTable& classes = machine.wafer().classes;
  IterationHalfWidths widths;
  for (std::size_t rank = 0; rank < npus.size(); ++rank) {
    const Sampling::Shares shares = sampling.shares(npus[rank], number);
    const double stretch = whole_over_busy(iteration, rank);
    Sampling::Share whole;
    for (std::size_t column = 0; column < shares.size(); ++column) {
      whole += shares[column];
      const double width_ps = stretch * sampling.half_width_ps(shares[column]);
      if (width_ps == 0) continue;
      double& widest =
          widths.breakdown_ps[column == Sampling::kMemory ? "memory"
                                                          : classes[static_cast<ClassId>(column)].name];
      widest = std::max(widest, width_ps);
    }
    widths.time_ps = std::max(widths.time_ps, stretch * sampling.half_width_ps(whole));
  }
  widths.time_ps += kOrder * static_cast<double>(iteration.end_ps - iteration.start_ps);
  widths.breakdown_ps["idle"] = widths.time_ps;
  return widths;
}

}  // namespace

std::vector<IterationHalfWidths> half_widths(const Machine& machine, const Placement& npus,
                                             const std::vector<IterationResult>& iterations) {
  std::vector<IterationHalfWidths> widths;
  if (!machine.sampling() || machine.sampling()->counts().is_exact()) return widths;
  for (std::size_t k = 0; k < iterations.size(); ++k)
    widths.push_back(half_widths_of(machine, npus, iterations[k], k));
  return widths;
}

}  // namespace wafertlm::results
