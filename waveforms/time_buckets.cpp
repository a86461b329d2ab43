// SPDX-License-Identifier: Apache-2.0
#include "waveforms/time_buckets.h"

#include <algorithm>

namespace wafertlm {

void TimeBuckets::reach(TimePs to_ps) {
  while (to_ps / width_ps_ >= most_) {
    width_ps_ *= 2;
    for (auto& sums : sums_) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double sum = sums[i];
        sums[i] = 0;
        sums[i / 2] += sum;
      }
      sums.resize((sums.size() + 1) / 2);
    }
  }
}

void TimeBuckets::clear(TimePs width_ps) {
  width_ps_ = width_ps;
  for (auto& sums : sums_) sums.clear();
}

void TimeBuckets::add(std::size_t series, TimePs from_ps, TimePs to_ps, double amount) {
  reach(to_ps);
  std::vector<double>& sums = sums_[series];
  const std::size_t first = from_ps / width_ps_;
  const std::size_t last = to_ps > from_ps ? (to_ps - 1) / width_ps_ : first;
  if (sums.size() <= last) sums.resize(last + 1);
  if (first == last) {
    sums[first] += amount;
    return;
  }
  const double per_ps = amount / static_cast<double>(to_ps - from_ps);
  for (std::size_t i = first; i <= last; ++i) {
    const TimePs begin = std::max(from_ps, i * width_ps_), end = std::min(to_ps, (i + 1) * width_ps_);
    sums[i] += per_ps * static_cast<double>(end - begin);
  }
}

}  // namespace wafertlm
