// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/iteration_account.h"

#include <algorithm>

namespace wafertlm {

void IterationAccount::add(std::uint32_t rank, const TimeSegment& segment) {
  auto& iterations = sums_[rank];
  TimePs from = segment.from_ps;
  auto iteration =
      static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), from) - ends_.begin());
  while (from < segment.to_ps) {
    const TimePs to = iteration < ends_.size() ? std::min(ends_[iteration], segment.to_ps) : segment.to_ps;
    if (iterations.size() <= iteration) iterations.resize(iteration + 1);
    ByCategory& sums = iterations[iteration];
    if (sums.size() <= segment.category) sums.resize(segment.category + std::size_t{1});
    sums[segment.category] += to - from;
    from = to;
    ++iteration;
  }
}

TimePs IterationAccount::sum(std::uint32_t rank, std::uint32_t iteration, std::uint8_t category) const {
  if (iteration >= sums_[rank].size()) return 0;
  const ByCategory& sums = sums_[rank][iteration];
  return category < sums.size() ? sums[category] : 0;
}

}  // namespace wafertlm
