// SPDX-License-Identifier: Apache-2.0
#include "workloads/statistics/duration_grid.h"

#include <algorithm>

#include "tlm/kernel/splitmix64.h"

namespace wafertlm::statistics {

void DurationGrid::add(TimePs duration_ps) {
  if (duration_ps == 0) return;
  ++durations_;
  for (std::size_t i = 0; i < kSteps.size(); ++i)
    if (duration_ps % kSteps[i] == 0) ++multiples_[i];
}

TimePs DurationGrid::step_ps() const {
  for (std::size_t i = 0; i < kSteps.size(); ++i)
    if (durations_ != 0 && 10 * multiples_[i] >= 9 * durations_) return kSteps[i];
  return 1;
}

TimePs on_grid(TimePs duration_ps, TimePs step_ps) { return (duration_ps + step_ps / 2) / step_ps * step_ps; }

TimePs off_grid(TimePs duration_ps, TimePs step_ps, double bound, std::uint64_t key) {
  if (duration_ps == 0) return 0;
  const TimePs least = step_ps / 2 + 1;
  const auto widest = std::max(static_cast<TimePs>(bound * static_cast<double>(duration_ps)), 2 * step_ps);
  // Where down would end at nothing the change is smaller both ways, so that sums keep their size.
  const bool has_down = duration_ps > least;
  const TimePs most = has_down ? std::min(widest, duration_ps - 1) : widest;
  const double drawn = splitmix64::unit(splitmix64::mixed(key));
  const TimePs change =
      std::min(most, least + static_cast<TimePs>(drawn * static_cast<double>(most - least + 1)));
  const bool goes_up = !has_down || splitmix64::unit(splitmix64::mixed(key + 1)) < 0.5;
  return goes_up ? duration_ps + change : duration_ps - change;
}

}  // namespace wafertlm::statistics
