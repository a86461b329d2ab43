// SPDX-License-Identifier: Apache-2.0
#include "waveforms/time_buckets.h"

#include <cmath>

namespace wafertlm {

void TimeBuckets::widen() {
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

void TimeBuckets::reach(TimePs to_ps) {
  while (to_ps / width_ps_ >= most_) widen();
}

void TimeBuckets::add(const TimeBuckets& other) {
  while (width_ps_ < other.width_ps_) widen();
  for (std::size_t series = 0; series < sums_.size(); ++series)
    for (std::size_t i = 0; i < other.sums_[series].size(); ++i) {
      const std::size_t bucket = i * other.width_ps_ / width_ps_;
      if (sums_[series].size() <= bucket) sums_[series].resize(bucket + 1);
      sums_[series][bucket] += other.sums_[series][i];
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
  const auto whole_ps = static_cast<double>(to_ps - from_ps);
  double before = 0;  // up to the bucket
  for (std::size_t i = first; i < last; ++i) {
    const auto part_ps = static_cast<double>((i + 1) * width_ps_ - from_ps);
    const double up_to = std::trunc(amount * part_ps / whole_ps);
    sums[i] += up_to - before;
    before = up_to;
  }
  sums[last] += amount - before;
}

}  // namespace wafertlm
